import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { checkLiveness, processIdentity } from '../runtime/process-identity.ts';
import { isJobOf } from './queue-definition.ts';
import type { ScanJob } from './scan-jobs.ts';
import { isBundle } from './scan-bundles.ts';
import { scanQueue } from './scan-queue.ts';

/** How often a process touches its files. A file that has not been touched for long has no owner, on any machine. */
export const defaultHeartbeatMs = 10_000;
export const defaultAbandonedAfterMs = 6 * defaultHeartbeatMs;
/** Earlier releases touched their files once a minute. */
const earlierAbandonedAfterMs = 10 * 60_000;

const thisHost = () => hostname().replace(/[^\w-]/g, '_');

export const ownerHere = async () => `${thisHost()}.${await processIdentity(process.pid)}`;

interface SpoolName {
  host: string;
  identity: string;
  owner: string;
  number: number;
  isAdopted: boolean;
  /** Holds batches that the queue has taken: see journal.ts. */
  isJournal: boolean;
  /** Left by `checkWritable` if its process was killed in the middle of it. */
  isProbe: boolean;
}

const extensions = ['spool', 'journal', 'probe'];

/** `<host>.<process>.<number>[-adopted].spool` or `.journal` */
export function parseSpoolName(name: string): SpoolName | undefined {
  const [host = '', identity = '', number, extension] = name.split('.');
  if (number === undefined || !extensions.includes(extension ?? '')) return undefined;
  return {
    host,
    identity,
    owner: `${host}.${identity}`,
    number: Number.parseInt(number, 10),
    isAdopted: number.endsWith('-adopted'),
    isJournal: extension === 'journal',
    isProbe: extension === 'probe',
  };
}

/** Whether the owner of the file has ended. `unchangedMs`: how long the reader has seen the file unchanged. */
export async function isAbandoned(
  { host, identity }: SpoolName,
  unchangedMs: () => Promise<number>,
  limitMs = defaultAbandonedAfterMs,
): Promise<boolean> {
  const liveness = await checkLiveness(identity, { sameHost: host === thisHost() });
  if (liveness !== 'unknown') return liveness === 'gone';
  const isOfThisRelease = identity.split('-').length === 4;
  return (await unchangedMs()) > (isOfThisRelease ? limitMs : Math.max(limitMs, earlierAbandonedAfterMs));
}

/** A line of a file, not parsed yet. */
interface RawLine {
  /** Offsets of the line and of the next one. */
  start: number;
  end: number;
  parse(): SpoolLine;
}

/** A torn line may end with a complete one. */
interface SpoolLine {
  job: ScanJob | undefined;
  isTorn: boolean;
}

const chunkBytes = 64 * 1024;
const newline = 0x0a;

/** The lines between two offsets, each of which is the start of a line. */
export async function* readSpoolLines(
  path: string,
  disk: DiskAccess,
  { from = 0, to = Number.POSITIVE_INFINITY }: { from?: number; to?: number } = {},
): AsyncGenerator<RawLine> {
  const handle = await disk.run(() => open(path, 'r'));
  try {
    let start = from;
    let rest: Buffer = Buffer.alloc(0);
    for (let position = from; position < to; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, to - position));
      const { bytesRead } = await disk.run(() => handle.read(chunk, 0, chunk.length, position));
      if (bytesRead === 0) break;
      position += bytesRead;
      const read = chunk.subarray(0, bytesRead);
      const text: Buffer = rest.length > 0 ? Buffer.concat([rest, read]) : read;
      let at = 0;
      for (let next = text.indexOf(newline); next >= 0; next = text.indexOf(newline, at)) {
        yield rawLine(text.subarray(at, next), start + at, start + next + 1);
        at = next + 1;
      }
      start += at;
      rest = text.subarray(at);
    }
    if (rest.length > 0) yield rawLine(rest, start, start + rest.length);
  } finally {
    // Not through `disk`, which may refuse it: closing a file that was only read does not wait for the disk.
    handle.close().catch(() => undefined);
  }
}

const rawLine = (bytes: Buffer, start: number, end: number): RawLine => ({
  start,
  end,
  parse: () => readLine(bytes.toString()),
});

const lineStart = '{"scans":';

/** Earlier releases could append a complete line to a torn one. Quotes inside a line are escaped, so `lineStart` is only at a start. */
function readLine(line: string): SpoolLine {
  const job = parseJob(line);
  if (job) return { job, isTorn: false };
  const last = line.lastIndexOf(lineStart);
  return { job: last > 0 ? parseJob(line.slice(last)) : undefined, isTorn: true };
}

function parseJob(text: string): ScanJob | undefined {
  try {
    const job: unknown = JSON.parse(text);
    return isJobOf(scanQueue, job) && !isBundle(job) ? job : undefined;
  } catch {
    return undefined;
  }
}

export interface SpoolFileState {
  /** The host and process in the name of the file. */
  owner: string;
  bytes: number;
  createdAt: Date;
  /** Its process has ended: another one will adopt it. */
  isAbandoned: boolean;
  /** Its process is on another machine or in another container, and cannot be checked from here. */
  isElsewhere: boolean;
  /** Adopted from a process that has ended: it does not count toward its owner's limit. */
  isAdopted: boolean;
  /** Holds batches that are in the queue and not known to be recorded. */
  isJournal: boolean;
}

/** The files of every process. Changes nothing. */
export async function listSpoolFiles(folder: string): Promise<SpoolFileState[]> {
  const files: SpoolFileState[] = [];
  for (const fileName of await readdir(folder).catch(() => [])) {
    const name = parseSpoolName(fileName);
    if (!name || name.isProbe) continue;
    // It may have been replayed and deleted meanwhile.
    const file = await stat(join(folder, fileName)).catch(() => undefined);
    if (!file) continue;
    const liveness = await checkLiveness(name.identity, { sameHost: name.host === thisHost() });
    files.push({
      owner: name.owner,
      bytes: file.size,
      // Not every file system stores the creation time.
      createdAt: file.birthtimeMs > 0 ? file.birthtime : file.mtime,
      isAbandoned: await isAbandoned(name, async () => Date.now() - file.mtimeMs),
      isElsewhere: liveness === 'unknown',
      isAdopted: name.isAdopted,
      isJournal: name.isJournal,
    });
  }
  return files;
}

/** A file of complete lines that belongs to this process. */
export interface LineFile {
  path: string;
  /** Only complete lines count. */
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

/** Longer than a healthy disk takes to sync a few kilobytes, also under load. */
const defaultHungAfterMs = 250;

export class DiskHungError extends Error {
  override name = 'DiskHungError';
}

/** The only way to the files of a folder, one operation at a time. */
export interface DiskAccess {
  /** Rejects at once while an earlier operation hangs. Not for calls inside of each other. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Whether the disk has not responded to the current operation for too long. */
  isHung(): boolean;
}

/**
 * An operation on a disk that hangs cannot be canceled: it keeps one of the four threads that all files, host names and
 * compression of the process share. One at a time leaves the others free, and what is refused uses no memory.
 */
export function createDiskAccess(hungAfterMs = defaultHungAfterMs): DiskAccess {
  let last: Promise<unknown> = Promise.resolve();
  let hung = false;

  async function watched<Value>(work: () => Promise<Value>): Promise<Value> {
    let isDone = false;
    const timer = setTimeout(
      // A result that arrived while our own event loop was busy is handled first.
      () => setImmediate(() => (hung = !isDone)),
      hungAfterMs,
    ).unref();
    try {
      return await work();
    } finally {
      isDone = true;
      hung = false;
      clearTimeout(timer);
    }
  }

  return {
    run(work) {
      if (hung) return Promise.reject(new DiskHungError('The disk does not respond'));
      const done = last.then(() => watched(work));
      last = done.catch(() => undefined);
      return done;
    },
    isHung: () => hung,
  };
}
