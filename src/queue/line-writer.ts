import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';

/** A file of complete lines that belongs to this process. */
export interface LineFile {
  path: string;
  /** Of complete lines. */
  bytes: number;
}

/** Appends lines to a file of this process. Not for calls at the same time: a file must not be closed during a write. */
export interface LineWriter {
  /**
   * `accept` is called when the line is in the file, and if it says no, the line is removed. If it fails, nothing of the
   * line is left in the file.
   */
  append(line: Buffer, accept?: () => boolean): Promise<void>;
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

  async function append(line: Buffer, accept: () => boolean = () => true): Promise<void> {
    const file = await fileToAppendTo();
    // The next line must not be appended to half a line.
    const removeLine = () => file.handle.truncate(file.bytes).catch(rotate);
    try {
      await file.handle.appendFile(line);
      if (sync) await file.handle.datasync();
    } catch (error) {
      await removeLine();
      throw error;
    }
    if (performance.now() - checkedAt >= checkOwnerEveryMs) {
      if (!(await isUnmoved(file))) {
        // Adopted by a process that took us for dead, and perhaps replayed already: the line goes into a new file.
        current = undefined;
        await file.handle.close().catch(() => undefined);
        return append(line, accept);
      }
      checkedAt = performance.now();
    }
    if (accept()) file.bytes += line.length;
    else await removeLine();
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
