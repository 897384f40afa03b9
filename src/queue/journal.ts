import { unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createLineWriter, createTaskQueue, ignoreMissing, type LineFile } from './line-writer.ts';
import { countScans, type ScanJob } from './scan-jobs.ts';
import { defaultHeartbeatMs, ownerHere, readSpoolLines } from './spool-files.ts';

/**
 * Append-only files in the folder of the spool for the batches that the queue has taken, one job per line, until they are
 * known to be recorded. If the process is killed, another one adopts its files as if they were spool files.
 *
 *   writing → closed → each line confirmed → deleted
 */
export interface Journal {
  /** Resolves when the batch is in the file. If it fails, nothing of the batch is left in the file. */
  append(job: ScanJob): Promise<void>;
  /**
   * Passes the unconfirmed batches that are at least `minAgeMs` old to `confirm`, page by page, and deletes a file when all
   * of it is confirmed. `confirm` says of each whether it is. Stops when `confirm` rejects. Rejects, at the end, if a file
   * cannot be read.
   */
  check(confirm: (jobs: ScanJob[]) => Promise<boolean[]>, minAgeMs: number): Promise<void>;
  bytes(): number;
  /** For how long the oldest unconfirmed batch has been in the journal, or a little longer; 0 if there is none. */
  oldestMs(): number;
  close(): Promise<void>;
}

interface JournalFile extends LineFile {
  /** On the clock of `elapsedMs`. */
  startedAt: number;
  closedAt: number;
  /** Numbers of lines, from 0. */
  confirmed: Set<number>;
}

interface Line {
  number: number;
  job: ScanJob;
}

interface JournalOptions {
  folder: string;
  maxBytes: number;
  /** Whether `append` waits for the disk. */
  sync: boolean;
  heartbeatMs?: number;
  checkOwnerEveryMs?: number;
  /** Not the time of day: a clock that is set back by an hour would hold up every confirmation for that hour. */
  elapsedMs?: () => number;
}

export class JournalFullError extends Error {
  override name = 'JournalFullError';
}

const maxFileBytes = 1024 * 1024;
/** While older files wait for the worker, a file is closed at this age: an outage of days must not leave files by the second. */
const maxFileAgeMs = 60_000;
/** Not with every batch, as the spool does: the queue has what is written to a file that was adopted. */
const defaultCheckOwnerEveryMs = 1_000;
/** A page is parsed at once, between two redirects. */
const pageScans = 1_000;
const pageJobs = 100;
/** While the disk hangs, further batches must not pile up in memory. */
const maxPendingAppends = 64;

export async function openJournal({
  folder,
  maxBytes,
  sync,
  heartbeatMs = defaultHeartbeatMs,
  checkOwnerEveryMs = defaultCheckOwnerEveryMs,
  elapsedMs = () => performance.now(),
}: JournalOptions): Promise<Journal> {
  const owner = await ownerHere();
  const closed: JournalFile[] = [];
  let lastNumber = 0;
  let startedAt = 0;
  let pending = 0;
  const exclusively = createTaskQueue();
  const writer = createLineWriter({
    folder,
    sync,
    checkOwnerEveryMs,
    nextPath() {
      startedAt = elapsedMs();
      return join(folder, `${owner}.${(lastNumber += 1)}.journal`);
    },
    onRotated: (file) => closed.push({ ...file, startedAt, closedAt: elapsedMs(), confirmed: new Set() }),
  });
  const bytes = () => closed.reduce((sum, file) => sum + file.bytes, writer.current()?.bytes ?? 0);

  async function append(job: ScanJob): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(job)}\n`);
    if (bytes() + line.length > maxBytes)
      throw new JournalFullError(`The journal has ${bytes()} bytes of at most ${maxBytes}`);
    await writer.append(line);
    if ((writer.current()?.bytes ?? 0) >= maxFileBytes) await writer.rotate();
  }

  async function rotateIfDue(minAgeMs: number): Promise<void> {
    const isHeldUp = minAgeMs > 0 && closed.some(({ closedAt }) => elapsedMs() - closedAt > 2 * minAgeMs);
    if (writer.current() && elapsedMs() - startedAt >= (isHeldUp ? maxFileAgeMs : 0)) await writer.rotate();
  }

  async function checkFile(
    file: JournalFile,
    confirm: (jobs: ScanJob[]) => Promise<boolean[]>,
  ): Promise<void> {
    let total = 0;
    for await (const page of pagesOf(file, (lines) => (total = lines))) {
      const outcomes = await confirm(page.map(({ job }) => job));
      page.forEach(({ number }, index) => outcomes[index] && file.confirmed.add(number));
    }
    if (file.confirmed.size < total) return;
    await unlink(file.path).catch(ignoreMissing);
    closed.splice(closed.indexOf(file), 1);
  }

  const heartbeat = setInterval(() => {
    const now = new Date();
    const current = writer.current();
    for (const { path } of current ? [...closed, current] : closed)
      utimes(path, now, now).catch(() => undefined);
  }, heartbeatMs).unref();

  return {
    async append(job) {
      if (pending >= maxPendingAppends) throw new Error('The disk does not keep up with the journal');
      pending += 1;
      await exclusively(() => append(job)).finally(() => {
        pending -= 1;
      });
    },
    async check(confirm, minAgeMs) {
      await exclusively(() => rotateIfDue(minAgeMs));
      let refusal: unknown;
      let unreadable: Error | undefined;
      const confirmPage = (jobs: ScanJob[]) =>
        confirm(jobs).catch((error: unknown) => {
          refusal = error;
          throw error;
        });
      for (const file of closed.filter(({ closedAt }) => elapsedMs() - closedAt >= minAgeMs)) {
        await checkFile(file, confirmPage).catch((error: NodeJS.ErrnoException) => {
          if (error === refusal) throw error;
          // A process that took us for dead has adopted it.
          if (error.code === 'ENOENT') closed.splice(closed.indexOf(file), 1);
          // One bad file must not hold up the others.
          else unreadable = error;
        });
      }
      if (unreadable) throw unreadable;
    },
    bytes,
    oldestMs() {
      const times = closed.map((file) => file.startedAt);
      if (writer.current()) times.push(startedAt);
      return times.length === 0 ? 0 : elapsedMs() - Math.min(...times);
    },
    async close() {
      clearInterval(heartbeat);
      await exclusively(writer.rotate);
    },
  };
}

/** The unconfirmed lines of a file. A torn line, whose redirects were not sent, counts as confirmed. */
async function* pagesOf(file: JournalFile, onEnd: (lines: number) => void): AsyncGenerator<Line[]> {
  let page: Line[] = [];
  let scans = 0;
  let number = -1;
  for await (const { job } of readSpoolLines(file.path)) {
    number += 1;
    if (!job) file.confirmed.add(number);
    if (!job || file.confirmed.has(number)) continue;
    page.push({ number, job });
    scans += countScans(job);
    if (scans < pageScans && page.length < pageJobs) continue;
    yield page;
    page = [];
    scans = 0;
  }
  if (page.length > 0) yield page;
  onEnd(number + 1);
}
