import { mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { watchHeartbeats } from '../runtime/heartbeat.ts';
import { joinCalls } from '../runtime/once.ts';
import {
  createDiskAccess,
  createLineWriter,
  defaultAbandonedAfterMs,
  defaultHeartbeatMs,
  type DiskAccess,
  ignoreMissing,
  isAbandoned,
  type LineFile,
  ownerHere,
  parseSpoolName,
  readSpoolLines,
} from './spool-files.ts';
import type { ScanJob } from './scan-jobs.ts';

/**
 * Append-only files in DATA_DIR for the batches that the queue did not take, one job per line. A file belongs to the
 * process in its name; if that process has ended, another one adopts the file by renaming it, and so it does the files of
 * its journal: what was recorded before is replayed too, and does not count again.
 *
 *   writing → (replay) closed → each line replayed → deleted
 */
export interface Spool {
  /**
   * Resolves when the disk has responded, however long that takes, and rejects at once while it hangs. `accept` is called
   * when the batch is on the disk, and if it says no, the batch is removed. If it fails, nothing of the batch is left in
   * the file.
   */
  append(job: ScanJob, accept?: () => boolean): Promise<void>;
  isEmpty(): boolean;
  /** The bytes that count toward `maxBytes`: adopted files do not. */
  ownBytes(): number;
  /** Passes each batch to `deliver`, oldest file first, and deletes a file when all of it is delivered. Stops when `deliver` rejects. */
  replay(deliver: (job: ScanJob) => Promise<void>): Promise<void>;
  /** Takes over the files of processes that have ended. */
  adopt(): Promise<void>;
  /** Writes a small file and deletes it, unless a write succeeded within the last seconds. */
  checkWritable(): Promise<void>;
  /** Whether the last write succeeded. */
  isWritable(): boolean;
  close(): Promise<void>;
}

interface SpoolFile extends LineFile {
  deliveredBytes: number;
  isAdopted: boolean;
}

interface SpoolOptions {
  folder: string;
  /** Shared with the journal, whose files are in the same folder. */
  disk?: DiskAccess;
  maxBytes: number;
  /** Called for each line that a crash left half-written. */
  onTornLine(): void;
  abandonedAfterMs?: number;
  heartbeatMs?: number;
}

export class SpoolFullError extends Error {
  override name = 'SpoolFullError';
}

/** Large enough to need a block on the disk. */
const probe = Buffer.alloc(4096);
const probeEveryMs = 5_000;

export async function openSpool({
  folder,
  disk = createDiskAccess(),
  maxBytes,
  onTornLine,
  abandonedAfterMs = defaultAbandonedAfterMs,
  heartbeatMs = defaultHeartbeatMs,
}: SpoolOptions): Promise<Spool> {
  const owner = await ownerHere();
  const heartbeats = watchHeartbeats();
  const closed: SpoolFile[] = [];
  let lastNumber = 0;
  let writable = true;
  let writtenAt = Number.NEGATIVE_INFINITY;

  const nextPath = (suffix = '') => join(folder, `${owner}.${(lastNumber += 1)}${suffix}.spool`);
  const writer = createLineWriter({
    folder,
    nextPath,
    sync: true,
    onRotated: (file) => closed.push({ ...file, deliveredBytes: 0, isAdopted: false }),
  });
  const ownFiles = (): LineFile[] => {
    const current = writer.current();
    return current ? [...closed, current] : closed;
  };
  const ownBytes = () =>
    closed.reduce((sum, file) => sum + (file.isAdopted ? 0 : file.bytes), writer.current()?.bytes ?? 0);

  /** Remembers whether the write succeeded. */
  async function trackWrite<Value>(work: () => Promise<Value>): Promise<Value> {
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

  async function append(job: ScanJob, accept?: () => boolean): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(job)}\n`);
    const bytes = ownBytes();
    if (bytes + line.length > maxBytes)
      throw new SpoolFullError(`The spool has ${bytes} bytes of at most ${maxBytes}`);
    await trackWrite(() => writer.append(line, accept));
  }

  async function deliverFile(file: SpoolFile, deliver: (job: ScanJob) => Promise<void>): Promise<void> {
    for await (const line of readSpoolLines(file.path, disk, { from: file.deliveredBytes })) {
      const { job, isTorn } = line.parse();
      if (job) await deliver(job);
      if (isTorn) onTornLine();
      file.deliveredBytes = line.end;
    }
  }

  async function replayAll(deliver: (job: ScanJob) => Promise<void>): Promise<void> {
    await disk.run(writer.rotate);
    for (let file = closed[0]; file; file = closed[0]) {
      // If it is missing, a process that took us for dead has adopted it.
      await deliverFile(file, deliver).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT' || error.path !== file?.path) throw error;
      });
      const { path } = file;
      await disk.run(() => unlink(path).catch(ignoreMissing));
      closed.shift();
    }
  }

  async function adopt(): Promise<void> {
    const names = await disk.run(() => readdir(folder).catch(() => []));
    heartbeats.retainOnly(names);
    for (const fileName of names) {
      const name = parseSpoolName(fileName);
      if (!name || name.owner === owner) continue;
      const path = join(folder, fileName);
      const unchangedMs = async () => {
        const file = await disk.run(() => stat(path).catch(() => undefined));
        return file ? heartbeats.unchangedMs(fileName, file.mtimeMs) : 0;
      };
      if (!(await isAbandoned(name, unchangedMs, abandonedAfterMs))) continue;
      if (name.isProbe) {
        await disk.run(() => unlink(path).catch(ignoreMissing));
        continue;
      }
      const adopted = nextPath('-adopted');
      // If several processes try, the rename of one succeeds.
      const file = await disk.run(() =>
        rename(path, adopted)
          .then(() => stat(adopted))
          .catch(() => undefined),
      );
      if (file) closed.push({ path: adopted, bytes: file.size, deliveredBytes: 0, isAdopted: true });
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
      await unlink(path).catch(ignoreMissing);
    }
  }

  const heartbeat = setInterval(() => {
    const now = new Date();
    for (const { path } of ownFiles()) disk.run(() => utimes(path, now, now)).catch(() => undefined);
  }, heartbeatMs).unref();

  return {
    append: (job, accept) => disk.run(() => append(job, accept)),
    isEmpty: () => closed.length === 0 && !writer.current(),
    ownBytes,
    replay: joinCalls(replayAll),
    adopt: joinCalls(adopt),
    async checkWritable() {
      if (performance.now() - writtenAt > probeEveryMs) await disk.run(() => trackWrite(writeProbe));
    },
    isWritable: () => writable && !disk.isHung(),
    async close() {
      clearInterval(heartbeat);
      await disk.run(writer.rotate);
    },
  };
}
