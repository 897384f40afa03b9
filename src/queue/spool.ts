import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { identify, isAlive } from '../process-identity.ts';
import type { ScanJob } from './scan-jobs.ts';

/** Touched this often by its owner, a file that nobody touched for longer has none, on whatever host it was. */
const touchMs = 60_000;
const abandonedAfterMs = 10 * touchMs;

/**
 * Append-only files, below DATA_DIR, for the batches that the queue did not take: a line a batch, as it would have been
 * in the queue. A file belongs to the process in its name; one whose process is gone is taken over by renaming it.
 *
 *   <host>.<process>.<number>.spool
 *
 *   writing → (replay) closed → each line handed on → deleted
 */
export interface Spool {
  /** Resolves when the batch is on the disk. */
  append(job: ScanJob): Promise<void>;
  isEmpty(): boolean;
  heldBytes(): number;
  /** Hands each batch on, oldest file first, and forgets a file when all of it was taken. Stops where `take` fails. */
  replay(take: (job: ScanJob) => Promise<void>): Promise<void>;
  /** Takes over the files of processes that are gone. */
  adopt(): Promise<void>;
  close(): Promise<void>;
}

interface SpoolFile {
  path: string;
  bytes: number;
  linesTaken: number;
}

interface SpoolOptions {
  folder: string;
  maxBytes: number;
  /** Called for each line that a crash left half-written. */
  onTornLine(): void;
}

class SpoolFullError extends Error {
  override name = 'SpoolFullError';
}

export async function openSpool({ folder, maxBytes, onTornLine }: SpoolOptions): Promise<Spool> {
  const host = thisHost();
  const owner = `${host}.${await identify(process.pid)}`;
  const closed: SpoolFile[] = [];
  let current: (SpoolFile & { handle: FileHandle }) | undefined;
  let made = 0;
  let replaying: Promise<void> | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();

  const nextPath = () => join(folder, `${owner}.${(made += 1)}.spool`);
  const files = () => (current ? [...closed, current] : closed);
  const heldBytes = () => files().reduce((sum, file) => sum + file.bytes, 0);

  /** One at a time: a file must not be closed between a write and its way to the disk. */
  function exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = lastWrite.then(work, work);
    lastWrite = done.catch(() => undefined);
    return done;
  }

  const closeCurrent = () =>
    exclusively(async () => {
      if (!current) return;
      const { handle, ...file } = current;
      current = undefined;
      closed.push(file);
      await handle.close();
    });

  async function write(line: Buffer): Promise<void> {
    const held = heldBytes();
    if (held + line.length > maxBytes)
      throw new SpoolFullError(`The spool holds ${held} bytes and may hold ${maxBytes}`);
    if (!current) {
      await mkdir(folder, { recursive: true });
      const path = nextPath();
      current = { path, bytes: 0, linesTaken: 0, handle: await open(path, 'a', 0o600) };
    }
    current.bytes += line.length;
    await current.handle.appendFile(line);
    await current.handle.datasync();
  }

  async function hand(file: SpoolFile, take: (job: ScanJob) => Promise<void>): Promise<void> {
    const lines = createInterface({
      input: createReadStream(file.path),
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    let seen = 0;
    for await (const line of lines) {
      seen += 1;
      if (seen <= file.linesTaken) continue;
      const job = parseLine(line);
      if (job) await take(job);
      else onTornLine();
      file.linesTaken = seen;
    }
  }

  async function replayAll(take: (job: ScanJob) => Promise<void>): Promise<void> {
    await closeCurrent();
    for (let file = closed[0]; file; file = closed[0]) {
      await hand(file, take);
      closed.shift();
      await unlink(file.path);
    }
  }

  const touching = setInterval(() => {
    const now = new Date();
    for (const { path } of files()) utimes(path, now, now).catch(() => undefined);
  }, touchMs).unref();

  return {
    append: (job) => exclusively(() => write(Buffer.from(`${JSON.stringify(job)}\n`))),
    isEmpty: () => files().length === 0,
    heldBytes,
    replay(take) {
      replaying ??= replayAll(take).finally(() => {
        replaying = undefined;
      });
      return replaying;
    },
    async adopt() {
      for (const name of await readdir(folder).catch(() => [])) {
        const [fileHost, fileOwner, number, ending] = name.split('.');
        if (ending !== 'spool' || number === undefined || `${fileHost}.${fileOwner}` === owner) continue;
        const path = join(folder, name);
        if (!(await isAbandoned(path, fileHost === host, fileOwner ?? ''))) continue;
        const taken = nextPath();
        // Of several processes that want it, the rename of one succeeds.
        const file = await rename(path, taken)
          .then(() => stat(taken))
          .catch(() => undefined);
        if (file) closed.push({ path: taken, bytes: file.size, linesTaken: 0 });
      }
    },
    async close() {
      clearInterval(touching);
      await closeCurrent();
    },
  };
}

export interface SpoolFileState {
  /** The process in its name, and the host of it. */
  owner: string;
  bytes: number;
  madeAt: Date;
  /** Its process is gone: the next one that adopts takes it over. */
  isAbandoned: boolean;
  /** Of another host, whose processes cannot be seen from here. */
  isElsewhere: boolean;
}

/** The files of every process, for whoever only looks. */
export async function listSpoolFiles(folder: string): Promise<SpoolFileState[]> {
  const files: SpoolFileState[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [fileHost = '', fileOwner = '', number, ending] = name.split('.');
    if (ending !== 'spool' || number === undefined) continue;
    const path = join(folder, name);
    const isAbandonedNow = await isAbandoned(path, fileHost === thisHost(), fileOwner);
    // Handed over meanwhile, it is none any more.
    const file = await stat(path).catch(() => undefined);
    if (!file) continue;
    files.push({
      owner: `${fileHost}.${fileOwner}`,
      bytes: file.size,
      // Not every file system knows when a file was made.
      madeAt: file.birthtimeMs > 0 ? file.birthtime : file.mtime,
      isAbandoned: isAbandonedNow,
      isElsewhere: fileHost !== thisHost(),
    });
  }
  return files;
}

const thisHost = () => hostname().replace(/[^\w-]/g, '_');

async function isAbandoned(path: string, onThisHost: boolean, owner: string): Promise<boolean> {
  if (onThisHost) return !(await isAlive(owner));
  const file = await stat(path).catch(() => undefined);
  return file !== undefined && Date.now() - file.mtimeMs > abandonedAfterMs;
}

function parseLine(line: string): ScanJob | undefined {
  try {
    const job = JSON.parse(line) as ScanJob;
    return Array.isArray(job.scans) && typeof job.sealedAddresses === 'string' ? job : undefined;
  } catch {
    return undefined;
  }
}
