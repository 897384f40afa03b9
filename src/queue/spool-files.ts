import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { processIdentity, checkLiveness } from '../runtime/process-identity.ts';
import type { ScanJob } from './scan-jobs.ts';

/** How often an owner touches its files. One that was not touched for long has no owner, wherever that was. */
export const usualHeartbeatMs = 10_000;
export const usualAbandonedAfterMs = 6 * usualHeartbeatMs;
/** Earlier releases touched theirs once a minute. */
const abandonedAfterMsBefore = 10 * 60_000;

const thisHost = () => hostname().replace(/[^\w-]/g, '_');

export const ownerHere = async () => `${thisHost()}.${await processIdentity(process.pid)}`;

interface SpoolName {
  host: string;
  identity: string;
  owner: string;
  isAdopted: boolean;
  /** What `checkWritable` leaves behind when its process is killed in the middle of it. */
  isProbe: boolean;
}

/** `<host>.<process>.<number>[-adopted].spool` */
export function parseSpoolName(name: string): SpoolName | undefined {
  const [host = '', identity = '', number, ending] = name.split('.');
  if (number === undefined || (ending !== 'spool' && ending !== 'probe')) return undefined;
  return {
    host,
    identity,
    owner: `${host}.${identity}`,
    isAdopted: number.endsWith('-adopted'),
    isProbe: ending === 'probe',
  };
}

/** Whether nobody will hand the file over. `unchangedMs`: for how long it has not been touched, as its reader knows it. */
export async function isAbandoned(
  { host, identity }: SpoolName,
  unchangedMs: () => Promise<number>,
  limitMs = usualAbandonedAfterMs,
): Promise<boolean> {
  const liveness = await checkLiveness(identity, { sameHost: host === thisHost() });
  if (liveness !== 'unknown') return liveness === 'gone';
  const isOfThisRelease = identity.split('-').length === 4;
  return (await unchangedMs()) > (isOfThisRelease ? limitMs : Math.max(limitMs, abandonedAfterMsBefore));
}

/** A torn line may have a whole one behind it. */
interface SpoolLine {
  job: ScanJob | undefined;
  isTorn: boolean;
}

export async function* readSpoolLines(path: string): AsyncGenerator<SpoolLine> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield readLine(line);
  }
  if (rest !== '') yield readLine(rest);
}

const lineStart = '{"scans":';

/** Earlier releases could append a whole line to a torn one. Within a line, quotes are escaped: only a start looks like one. */
function readLine(line: string): SpoolLine {
  const job = parseJob(line);
  if (job) return { job, isTorn: false };
  const last = line.lastIndexOf(lineStart);
  return { job: last > 0 ? parseJob(line.slice(last)) : undefined, isTorn: true };
}

function parseJob(text: string): ScanJob | undefined {
  try {
    const job = JSON.parse(text) as ScanJob;
    return Array.isArray(job.scans) && typeof job.sealedAddresses === 'string' ? job : undefined;
  } catch {
    return undefined;
  }
}

export interface SpoolFileState {
  /** The process in its name, and the host of it. */
  owner: string;
  bytes: number;
  madeAt: Date;
  /** Its process is gone: the next one that adopts takes it over. */
  isAbandoned: boolean;
  /** Of another machine or container, whose processes cannot be seen from here. */
  isElsewhere: boolean;
  /** Taken over from a process that is gone: it does not count against its owner's limit. */
  isAdopted: boolean;
}

/** The files of every process, for whoever only looks. */
export async function listSpoolFiles(folder: string): Promise<SpoolFileState[]> {
  const files: SpoolFileState[] = [];
  for (const fileName of await readdir(folder).catch(() => [])) {
    const name = parseSpoolName(fileName);
    if (!name || name.isProbe) continue;
    // Handed over meanwhile, it is none any more.
    const file = await stat(join(folder, fileName)).catch(() => undefined);
    if (!file) continue;
    const liveness = await checkLiveness(name.identity, { sameHost: name.host === thisHost() });
    files.push({
      owner: name.owner,
      bytes: file.size,
      // Not every file system knows when a file was made.
      madeAt: file.birthtimeMs > 0 ? file.birthtime : file.mtime,
      isAbandoned: await isAbandoned(name, async () => Date.now() - file.mtimeMs),
      isElsewhere: liveness === 'unknown',
      isAdopted: name.isAdopted,
    });
  }
  return files;
}
