import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';

/** A file of complete lines that belongs to this process. */
export interface LineFile {
  path: string;
  /** Of complete lines. */
  bytes: number;
}

/** Appends lines to a file of this process. Not for calls at the same time: a file must not be closed during a write. */
export interface LineWriter {
  /** If it fails, nothing of the line is left in the file. */
  append(line: Buffer): Promise<void>;
  /** The file that is written to, if there is one. */
  current(): LineFile | undefined;
  /** Closes the file; the next line starts a new one. */
  rotate(): Promise<void>;
}

interface LineWriterOptions {
  folder: string;
  nextPath(): string;
  /** Whether `append` waits until the line is on the disk, not only in the page cache. */
  sync: boolean;
  /** How often it is checked that no other process has adopted the file. What was written in between is then lost. */
  checkOwnerEveryMs?: number;
  onRotated(file: LineFile): void;
}

type OpenFile = LineFile & { handle: FileHandle; inode: number };

export function createLineWriter({
  folder,
  nextPath,
  sync,
  checkOwnerEveryMs = 0,
  onRotated,
}: LineWriterOptions): LineWriter {
  let current: OpenFile | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function rotate(): Promise<void> {
    if (!current) return;
    const { handle, path, bytes } = current;
    current = undefined;
    onRotated({ path, bytes });
    await handle.close().catch(() => undefined);
  }

  async function fileToAppendTo(): Promise<OpenFile> {
    if (current) return current;
    await mkdir(folder, { recursive: true });
    const path = nextPath();
    const handle = await open(path, 'a', 0o600);
    const { ino: inode } = await handle.stat();
    current = { path, bytes: 0, handle, inode };
    return current;
  }

  async function append(line: Buffer): Promise<void> {
    const file = await fileToAppendTo();
    try {
      await file.handle.appendFile(line);
      if (sync) await file.handle.datasync();
    } catch (error) {
      // The next line must not be appended to half a line.
      await file.handle.truncate(file.bytes).catch(rotate);
      throw error;
    }
    file.bytes += line.length;
    if (performance.now() - checkedAt < checkOwnerEveryMs) return;
    if (await isUnmoved(file)) {
      checkedAt = performance.now();
      return;
    }
    // Adopted by a process that took us for dead, and perhaps replayed already: the line goes into a new file.
    current = undefined;
    await file.handle.close().catch(() => undefined);
    await append(line);
  }

  return { append, current: () => current, rotate };
}

async function isUnmoved({ path, inode }: OpenFile): Promise<boolean> {
  const file = await stat(path).catch(ignoreMissing);
  return file?.ino === inode;
}

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Runs one task at a time. */
export function createTaskQueue(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let lastWork: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = lastWork.then(work, work);
    lastWork = done.catch(() => undefined);
    return done;
  };
}
