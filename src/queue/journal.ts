import { unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createDiskAccess,
  createLineWriter,
  defaultHeartbeatMs,
  type DiskAccess,
  ignoreMissing,
  type LineFile,
  ownerHere,
  readSpoolLines,
} from './spool-files.ts';
import { countScans, jobIdOf, type ScanJob } from './scan-jobs.ts';

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
   * Passes batches that are not known to be recorded to `confirm`, page by page, and deletes a file when all of it is
   * recorded. Stops when `confirm` rejects. Rejects, at the end, if a file cannot be read.
   */
  check(confirm: Confirm, options: CheckOptions): Promise<void>;
  bytes(): number;
  /** For how long the oldest unconfirmed batch has been in the journal, or a little longer; 0 if there is none. */
  oldestMs(): number;
  close(): Promise<void>;
}

/** `resent`: neither the queue nor the database had it. */
export type Outcome = 'recorded' | 'queued' | 'resent';
export type Confirm = (jobs: ScanJob[]) => Promise<Outcome[]>;

interface CheckOptions {
  /** Younger batches are not passed on. */
  minAgeMs: number;
  /**
   * With it, a batch that waits in the queue is not passed on at every check: that would take the longer the more there
   * are. Of each file, a few jobs are looked for. If one is gone, or a job was lost anywhere, the file is passed on.
   */
  hasJobs?: HasJobs;
}

type HasJobs = (ids: string[]) => Promise<boolean[]>;

interface JournalFile extends LineFile {
  /** On the clock of `elapsedMs`. */
  startedAt: number;
  closedAt: number;
  /** Sizes of the file at the times of checks, oldest first: tells what is old enough. */
  sizes: { at: number; bytes: number }[];
  /** What has been passed on at least once: bytes, and complete lines in them. */
  checkedBytes: number;
  lines: number;
  /** Offsets of lines. */
  confirmed: Set<number>;
  /** Some of the jobs that were not recorded when they were passed on. */
  sample: string[];
  passedAt: number;
}

type Range = { from: number; to: number };

interface Page {
  batches: { start: number; job: ScanJob }[];
  /** Lines that have not been passed on before. */
  newLines: number;
  /** Offset of the next line. */
  end: number;
}

interface JournalOptions {
  folder: string;
  /** Shared with the spool, whose files are in the same folder. */
  disk?: DiskAccess;
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
/** Jobs of a file that are looked for at each check: the first, the last, and others. */
const sampleJobs = 4;
const idsPerLook = 500;

export async function openJournal({
  folder,
  disk = createDiskAccess(),
  maxBytes,
  sync,
  heartbeatMs = defaultHeartbeatMs,
  checkOwnerEveryMs = defaultCheckOwnerEveryMs,
  elapsedMs = () => performance.now(),
}: JournalOptions): Promise<Journal> {
  const owner = await ownerHere();
  const closed: JournalFile[] = [];
  /** About the file that is written to. */
  let writing: Omit<JournalFile, 'path' | 'bytes'> = startFile();
  let lastNumber = 0;
  let pending = 0;
  const writer = createLineWriter({
    folder,
    sync,
    checkOwnerEveryMs,
    nextPath() {
      writing = startFile();
      return join(folder, `${owner}.${(lastNumber += 1)}.journal`);
    },
    onRotated: (file) => closed.push(Object.assign(writing, file, { closedAt: elapsedMs() })),
  });
  const bytes = () => closed.reduce((sum, file) => sum + file.bytes, writer.current()?.bytes ?? 0);

  function startFile(): typeof writing {
    const startedAt = elapsedMs();
    return {
      startedAt,
      closedAt: Number.POSITIVE_INFINITY,
      sizes: [],
      checkedBytes: 0,
      lines: 0,
      confirmed: new Set(),
      sample: [],
      passedAt: startedAt,
    };
  }

  async function append(job: ScanJob): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(job)}\n`);
    if (bytes() + line.length > maxBytes)
      throw new JournalFullError(`The journal has ${bytes()} bytes of at most ${maxBytes}`);
    await writer.append(line);
    if ((writer.current()?.bytes ?? 0) >= maxFileBytes) await writer.rotate();
  }

  async function rotateIfDue(minAgeMs: number): Promise<void> {
    const isHeldUp = minAgeMs > 0 && closed.some(({ closedAt }) => elapsedMs() - closedAt > 2 * minAgeMs);
    if (writer.current() && elapsedMs() - writing.startedAt >= (isHeldUp ? maxFileAgeMs : 0))
      await writer.rotate();
  }

  /** Every file, the one that is written to last. */
  function listFiles(): JournalFile[] {
    const current = writer.current();
    return current
      ? [...closed, Object.assign(writing, { path: current.path, bytes: current.bytes })]
      : [...closed];
  }

  /** How much of the file is older than `minAgeMs`. */
  function settledBytes(file: JournalFile, minAgeMs: number): number {
    const now = elapsedMs();
    if (file.sizes.at(-1)?.bytes !== file.bytes) file.sizes.push({ at: now, bytes: file.bytes });
    const settled = file.sizes.findLastIndex(({ at }) => now - at >= minAgeMs);
    file.sizes.splice(0, settled);
    return settled < 0 ? 0 : (file.sizes[0]?.bytes ?? 0);
  }

  /** Passes on what is not confirmed up to an offset. Says whether the queue had lost any of it. */
  async function pass(file: JournalFile, from: number, to: number, confirm: Confirm): Promise<boolean> {
    const waiting: string[] = from === 0 ? [] : file.sample;
    let hasLost = false;
    for await (const page of pagesOf(file, disk, { from, to })) {
      const outcomes = await confirm(page.batches.map(({ job }) => job));
      for (const [index, { start, job }] of page.batches.entries()) {
        if (outcomes[index] === 'recorded') file.confirmed.add(start);
        else waiting.push(jobIdOf(job));
        hasLost ||= outcomes[index] === 'resent';
      }
      if (page.end <= file.checkedBytes) continue;
      file.checkedBytes = page.end;
      file.lines += page.newLines;
    }
    file.sample = pickSample(waiting);
    if (from === 0) file.passedAt = elapsedMs();
    const isConfirmed = file.checkedBytes === file.bytes && file.confirmed.size === file.lines;
    if (file.closedAt <= elapsedMs() && isConfirmed) {
      await disk.run(() => unlink(file.path).catch(ignoreMissing));
      forget(file);
    }
    return hasLost;
  }

  const forget = (file: JournalFile) => closed.includes(file) && closed.splice(closed.indexOf(file), 1);

  /** Files with a job that has left the queue, and, in turn, one other file: somebody may have removed a single job. */
  async function findDue(waiting: JournalFile[], hasJobs: HasJobs): Promise<JournalFile[]> {
    const ids = waiting.flatMap(({ sample }) => sample);
    const gone = new Set<string>();
    for (let at = 0; at < ids.length; at += idsPerLook) {
      const asked = ids.slice(at, at + idsPerLook);
      const found = await hasJobs(asked);
      for (const [index, id] of asked.entries()) if (!found[index]) gone.add(id);
    }
    const [next] = waiting.toSorted((one, other) => one.passedAt - other.passedAt);
    return waiting.filter((file) => file === next || file.sample.some((id) => gone.has(id)));
  }

  const heartbeat = setInterval(() => {
    const now = new Date();
    for (const { path } of listFiles()) disk.run(() => utimes(path, now, now)).catch(() => undefined);
  }, heartbeatMs).unref();

  return {
    async append(job) {
      if (pending >= maxPendingAppends) throw new Error('The disk does not keep up with the journal');
      pending += 1;
      await disk.run(() => append(job)).finally(() => (pending -= 1));
    },
    async check(confirm, { minAgeMs, hasJobs }) {
      await disk.run(() => rotateIfDue(minAgeMs));
      let refusal: unknown;
      let unreadable: Error | undefined;
      const passPage: Confirm = (jobs) =>
        (jobs.length > 0 ? confirm(jobs) : Promise.resolve([])).catch((error: unknown) => {
          refusal = error;
          throw error;
        });
      async function passFile(file: JournalFile, from: number, to: number): Promise<boolean> {
        try {
          return await pass(file, from, to, passPage);
        } catch (error) {
          if (error === refusal) throw error;
          // A process that took us for dead has adopted it.
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') forget(file);
          // One bad file must not hold up the others.
          else unreadable = error as Error;
          return false;
        }
      }
      let hasLost = false;
      for (const file of listFiles()) {
        const settled = settledBytes(file, minAgeMs);
        const from = hasJobs ? file.checkedBytes : 0;
        if (settled > from) hasLost = (await passFile(file, from, settled)) || hasLost;
      }
      if (hasJobs) {
        const waiting = listFiles().filter(({ sample }) => sample.length > 0);
        const due = new Set(hasLost ? waiting : await findDue(waiting, hasJobs));
        for (const file of due)
          if (await passFile(file, 0, file.checkedBytes)) for (const other of waiting) due.add(other);
      }
      if (unreadable) throw unreadable;
    },
    bytes,
    oldestMs() {
      const times = closed.map((file) => file.startedAt);
      if (writer.current()) times.push(writing.startedAt);
      return times.length === 0 ? 0 : elapsedMs() - Math.min(...times);
    },
    async close() {
      clearInterval(heartbeat);
      await disk.run(writer.rotate);
    },
  };
}

/** The unconfirmed lines of a file. A torn line, whose redirects were not sent, counts as confirmed. */
async function* pagesOf(file: JournalFile, disk: DiskAccess, range: Range): AsyncGenerator<Page> {
  let page: Page = { batches: [], newLines: 0, end: range.from };
  let scans = 0;
  for await (const { start, end, parse } of readSpoolLines(file.path, disk, range)) {
    page.end = end;
    if (start >= file.checkedBytes) page.newLines += 1;
    if (file.confirmed.has(start)) continue;
    const { job } = parse();
    if (!job) {
      file.confirmed.add(start);
      continue;
    }
    page.batches.push({ start, job });
    scans += countScans(job);
    if (scans < pageScans && page.batches.length < pageJobs) continue;
    yield page;
    page = { batches: [], newLines: 0, end };
    scans = 0;
  }
  yield page;
}

function pickSample(ids: string[]): string[] {
  if (ids.length <= sampleJobs) return ids;
  const others = Array.from({ length: sampleJobs - 2 }, () => Math.floor(Math.random() * ids.length));
  return [...new Set([0, ids.length - 1, ...others])].map((index) => ids[index] as string);
}
