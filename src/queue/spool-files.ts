import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { processIdentity, checkLiveness } from '../runtime/process-identity.ts';
import { isJobOf } from './job-contract.ts';
import type { ScanJob } from './scan-jobs.ts';
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

/** A torn line may end with a complete one. */
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
    return isJobOf(scanQueue, job) ? job : undefined;
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
