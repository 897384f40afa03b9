import { type FileHandle, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { watchHeartbeats } from '../runtime/heartbeat.ts';
import type { ScanJob } from './scan-jobs.ts';
import {
  isAbandoned,
  ownerHere,
  parseSpoolName,
  readSpoolLines,
  usualAbandonedAfterMs,
  usualHeartbeatMs,
} from './spool-files.ts';

/**
 * Append-only files, below DATA_DIR, for the batches that the queue did not take: a line a batch, as it would have been
 * in the queue. A file belongs to the process in its name; one whose process is gone is taken over by renaming it.
 *
 *   writing → (replay) closed → each line handed on → deleted
 */
export interface Spool {
  /** Resolves when the batch is on the disk. Where it fails, nothing of the batch is left in the file. */
  append(job: ScanJob): Promise<void>;
  isEmpty(): boolean;
  /** What counts against `maxBytes`: not the files that were taken over. */
  ownBytes(): number;
  /** Hands each batch on, oldest file first, and forgets a file when all of it was taken. Stops where `take` fails. */
  replay(take: (job: ScanJob) => Promise<void>): Promise<void>;
  /** Takes over the files of processes that are gone. */
  adopt(): Promise<void>;
  /** Writes a little to the disk and deletes it, unless something was written a moment ago. */
  checkWritable(): Promise<void>;
  /** Whether the last write succeeded. */
  isWritable(): boolean;
  close(): Promise<void>;
}

interface SpoolFile {
  path: string;
  /** Of whole lines. */
  bytes: number;
  linesTaken: number;
  isAdopted: boolean;
}

interface SpoolOptions {
  folder: string;
  maxBytes: number;
  /** Called for each line that a crash left half-written. */
  onTornLine(): void;
  abandonedAfterMs?: number;
  heartbeatMs?: number;
}

export class SpoolFullError extends Error {
  override name = 'SpoolFullError';
}

/** Enough to need a block of the disk. */
const probe = Buffer.alloc(4096);
const probeAgainMs = 5_000;

export async function openSpool({
  folder,
  maxBytes,
  onTornLine,
  abandonedAfterMs = usualAbandonedAfterMs,
  heartbeatMs = usualHeartbeatMs,
}: SpoolOptions): Promise<Spool> {
  const owner = await ownerHere();
  const heartbeats = watchHeartbeats();
  const closed: SpoolFile[] = [];
  let current: (SpoolFile & { handle: FileHandle; inode: number }) | undefined;
  let made = 0;
  let replaying: Promise<void> | undefined;
  let lastWork: Promise<unknown> = Promise.resolve();
  let writable = true;
  let writtenAt = Number.NEGATIVE_INFINITY;

  const nextPath = (suffix = '') => join(folder, `${owner}.${(made += 1)}${suffix}.spool`);
  const held = () => (current ? [...closed, current] : closed);
  const ownBytes = () => held().reduce((sum, file) => sum + (file.isAdopted ? 0 : file.bytes), 0);

  /** One at a time: a file must not be closed between a write and its way to the disk. */
  function exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = lastWork.then(work, work);
    lastWork = done.catch(() => undefined);
    return done;
  }

  /** Remembers how it went. */
  async function writing<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      const value = await work();
      writable = true;
      writtenAt = performance.now();
      return value;
    } catch (error) {
      writable = false;
      throw error;
    }
  }

  async function rotate(): Promise<void> {
    if (!current) return;
    const { handle, inode: _, ...file } = current;
    current = undefined;
    closed.push(file);
    await handle.close().catch(() => undefined);
  }

  async function fileToAppendTo() {
    if (current) return current;
    await mkdir(folder, { recursive: true });
    const path = nextPath();
    const handle = await open(path, 'a', 0o600);
    const { ino: inode } = await handle.stat();
    current = { path, bytes: 0, linesTaken: 0, isAdopted: false, handle, inode };
    return current;
  }

  async function write(line: Buffer): Promise<void> {
    const file = await fileToAppendTo();
    try {
      await file.handle.appendFile(line);
      await file.handle.datasync();
    } catch (error) {
      // Half a line may be there, and the next would be glued to it.
      await file.handle.truncate(file.bytes).catch(rotate);
      throw error;
    }
    file.bytes += line.length;
    if (await isStill(file)) return;
    // Taken over by a process that did not see us live, and perhaps read already: the line goes into a file of ours.
    current = undefined;
    await file.handle.close().catch(() => undefined);
    await write(line);
  }

  async function append(job: ScanJob): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(job)}\n`);
    const bytes = ownBytes();
    if (bytes + line.length > maxBytes)
      throw new SpoolFullError(`The spool holds ${bytes} bytes and may hold ${maxBytes}`);
    await writing(() => write(line));
  }

  async function hand(file: SpoolFile, take: (job: ScanJob) => Promise<void>): Promise<void> {
    let seen = 0;
    for await (const { job, isTorn } of readSpoolLines(file.path)) {
      seen += 1;
      if (seen <= file.linesTaken) continue;
      if (job) await take(job);
      if (isTorn) onTornLine();
      file.linesTaken = seen;
    }
  }

  async function replayAll(take: (job: ScanJob) => Promise<void>): Promise<void> {
    await exclusively(rotate);
    for (let file = closed[0]; file; file = closed[0]) {
      // Where it is not there, a process that did not see us live has taken it over.
      await hand(file, take).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT' || error.path !== file?.path) throw error;
      });
      closed.shift();
      await unlink(file.path).catch(unlessAbsent);
    }
  }

  async function adopt(): Promise<void> {
    const names = await readdir(folder).catch(() => []);
    heartbeats.retainOnly(names);
    for (const fileName of names) {
      const name = parseSpoolName(fileName);
      if (!name || name.owner === owner) continue;
      const path = join(folder, fileName);
      const unchangedMs = async () => {
        const file = await stat(path).catch(() => undefined);
        return file ? heartbeats.unchangedMs(fileName, file.mtimeMs) : 0;
      };
      if (!(await isAbandoned(name, unchangedMs, abandonedAfterMs))) continue;
      if (name.isProbe) {
        await unlink(path).catch(unlessAbsent);
        continue;
      }
      const taken = nextPath('-adopted');
      // Of several processes that want it, the rename of one succeeds.
      const file = await rename(path, taken)
        .then(() => stat(taken))
        .catch(() => undefined);
      if (file) closed.push({ path: taken, bytes: file.size, linesTaken: 0, isAdopted: true });
    }
  }

  async function writeProbe(): Promise<void> {
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${owner}.0.probe`);
    try {
      const handle = await open(path, 'w', 0o600);
      try {
        await handle.writeFile(probe);
        await handle.datasync();
      } finally {
        await handle.close();
      }
    } finally {
      await unlink(path).catch(unlessAbsent);
    }
  }

  const touching = setInterval(() => {
    const now = new Date();
    for (const { path } of held()) utimes(path, now, now).catch(() => undefined);
  }, heartbeatMs).unref();

  return {
    append: (job) => exclusively(() => append(job)),
    isEmpty: () => held().length === 0,
    ownBytes,
    replay(take) {
      replaying ??= replayAll(take).finally(() => {
        replaying = undefined;
      });
      return replaying;
    },
    adopt,
    async checkWritable() {
      if (performance.now() - writtenAt > probeAgainMs) await exclusively(() => writing(writeProbe));
    },
    isWritable: () => writable,
    async close() {
      clearInterval(touching);
      await exclusively(rotate);
    },
  };
}

async function isStill({ path, inode }: { path: string; inode: number }): Promise<boolean> {
  const file = await stat(path).catch(unlessAbsent);
  return file?.ino === inode;
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
