import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { listSpoolFiles, type SpoolFileState } from '../queue/spool-files.ts';
import { bytesPerMb } from '../runtime/units.ts';
import { type Finding, findingsFor, type Found, found } from './finding.ts';
import { formatBytes, formatDuration, pluralize } from './format.ts';

const disk = findingsFor('disk');
const spool = findingsFor('spool');

const minimumMb = 100;
const minimumFiles = 100;
const recommendedMb = 1024;
/** About the size of a batch under load. With less space left, most batches are dropped. */
const batchBytes = 64 * 1024;
/** Share of SPOOL_MAX_MB. */
const usedToReport = 0.5;
/** Batches in the journal are confirmed within seconds, unless workers are behind. */
const oldJournalMs = 15 * 60_000;

/** `f_type` of Linux's statfs. */
const inMemory = new Map([
  [0x01_02_19_94, 'tmpfs'],
  [0x85_84_58_f6, 'ramfs'],
]);
const overlay = 0x79_4c_76_30;

export async function checkDisk({ dataDir, spoolMaxMb, scanJournal }: Config): Promise<Finding[]> {
  const { path } = await findNearestFolder(dataDir);
  const { type, bavail, bsize, files, ffree } = await statfs(path);
  const fileSystem = assessFileSystem(type, dataDir);
  return found(
    assessSpace(bavail * bsize, dataDir, spoolMaxMb, scanJournal !== 'off'),
    assessFiles(files, ffree, dataDir),
    // The first process that needs it creates it, which hides a wrong path or a disk that is not mounted.
    path !== dataDir &&
      disk.warning(
        `DATA_DIR ${dataDir} does not exist: a web process creates it on the disk of ${path}, and scans in the spool of another folder are not replayed.`,
        'Correct DATA_DIR, mount its disk, or create the folder for the user of the web processes.',
      ),
    (path === dataDir || fileSystem.state !== 'ok') && fileSystem,
  );
}

/** File systems without a limit on files report 0 of 0. */
export function assessFiles(files: number, free: number, dataDir: string): Finding | undefined {
  if (files === 0 || free >= minimumFiles) return undefined;
  return disk.failure(
    `The disk of DATA_DIR ${dataDir} is running out of inodes (${free} free): no more files can be created, even with free space.`,
    'Delete files there, or set DATA_DIR to a folder on another disk.',
  );
}

export function assessSpace(
  freeBytes: number,
  dataDir: string,
  spoolMaxMb: number,
  hasJournal = false,
): Finding {
  const freeMb = freeBytes / bytesPerMb;
  const message = `${formatBytes(freeBytes)} free for DATA_DIR ${dataDir}`;
  const remedy = 'Free disk space, or set DATA_DIR to a folder on a larger disk.';
  if (freeMb < minimumMb) return disk.failure(`${message}: the disk is almost full.`, remedy);
  if (freeMb < spoolMaxMb * (hasJournal ? 2 : 1)) {
    const users = hasJournal
      ? `the spool and the journal may need (SPOOL_MAX_MB=${spoolMaxMb} each)`
      : `the spool may need (SPOOL_MAX_MB=${spoolMaxMb})`;
    return disk.warning(`${message}, less than ${users}.`, remedy);
  }
  return freeMb < recommendedMb ? disk.warning(`${message}.`, remedy) : disk.ok(`${message}.`);
}

/** Whether what is written to DATA_DIR is there after a restart. The spool holds scans that exist nowhere else. */
export function assessFileSystem(type: number, dataDir: string): Finding {
  const name = inMemory.get(type);
  if (name)
    return disk.warning(
      `DATA_DIR ${dataDir} is in memory (${name}): scans in the spool are lost when the machine or container restarts.`,
      'Set DATA_DIR to a folder on a disk; in a container, mount a persistent volume there.',
    );
  if (type === overlay)
    return disk.warning(
      `DATA_DIR ${dataDir} is in the container's own file system (overlay): scans in the spool are lost when the container is replaced.`,
      'Mount a persistent volume at DATA_DIR, for example `-v qrelay-data:/data` with DATA_DIR=/data.',
    );
  return disk.ok(`DATA_DIR ${dataDir} is on a file system that keeps its files.`);
}

/** The folder, or its nearest existing parent, and the error code if this user cannot write there. Creates nothing. */
async function findNearestFolder(wanted: string): Promise<{ path: string; error: string | undefined }> {
  for (let path = wanted; ; path = dirname(path)) {
    try {
      const isFolder = (await stat(path)).isDirectory();
      if (isFolder) await access(path, constants.W_OK | constants.X_OK);
      return { path, error: isFolder ? undefined : 'ENOTDIR' };
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' || path === dirname(path)) return { path, error: code };
    }
  }
}

/** Checks the files in which the web processes of this machine keep scans while the queue is down. */
export async function checkSpool(config: Config, nowMs: number): Promise<Found> {
  const path = join(config.dataDir, 'spool');
  const folder = await findNearestFolder(path);
  if (folder.error)
    return spool.failure(
      `${path} is not writable for this user (${folder.error} at ${folder.path}): scans are lost while the queue is down.`,
      'Give the user of the web process write permission there, or set DATA_DIR to another folder.',
    );
  const files = await listSpoolFiles(path);
  // An exited process leaves its journal to the next one, which replays it as a spool.
  const isJournal = (file: SpoolFileState) => file.isJournal && !file.isAbandoned;
  return [
    spool.ok(
      folder.path === path ? `${path} is writable for this user.` : `${path} can be created by this user.`,
    ),
    assessSpoolFiles(
      files.filter((file) => !isJournal(file)),
      config.spoolMaxMb,
      nowMs,
    ),
    assessJournal(files.filter(isJournal), config, nowMs),
  ];
}

function assessSpoolFiles(files: SpoolFileState[], spoolMaxMb: number, nowMs: number): Found {
  if (files.length === 0) return spool.ok('The spool is empty.');
  const abandoned = files.filter(({ isAbandoned }) => isAbandoned);
  const elsewhere = files.filter(({ isAbandoned, isElsewhere }) => isElsewhere && !isAbandoned);
  const held = files.filter(({ isAbandoned, isElsewhere }) => !isElsewhere && !isAbandoned);
  return [
    abandoned.length > 0 &&
      spool.warning(
        `${describeFiles(abandoned, nowMs)} ${agree(abandoned, 'belong')} to a process that has exited: the scans are not counted yet.`,
        'Start a web process with this DATA_DIR. It adopts the files within 30 seconds.',
      ),
    elsewhere.length > 0 &&
      spool.warning(
        `${describeFiles(elsewhere, nowMs)} ${agree(elsewhere, 'belong')} to a process on another machine or in another container: the scans are not counted yet.`,
        'That process replays them when its queue works. If it has exited, a web process with this DATA_DIR adopts them after a minute or two.',
      ),
    held.length > 0 && assessHeld(held, spoolMaxMb, nowMs),
  ];
}

function assessHeld(held: SpoolFileState[], spoolMaxMb: number, nowMs: number): Finding {
  // The limit is per process; the fullest one loses scans first.
  const fullest = fullestOf(held.filter(({ isAdopted }) => !isAdopted));
  const maxBytes = spoolMaxMb * bytesPerMb;
  const message = `${describeFiles(held, nowMs)} ${agree(held, 'wait')} for the queue; the fullest process uses ${formatBytes(fullest)} of SPOOL_MAX_MB=${spoolMaxMb}`;
  if (fullest <= usedToReport * maxBytes)
    return spool.warning(
      `${message}.`,
      'They are replayed when the queue works again. See the findings on the queue.',
    );
  const isFull = maxBytes - fullest < batchBytes;
  return spool.failure(
    `${message}: ${isFull ? 'the spool is full, and scans are dropped' : 'when the spool is full, scans are dropped'}.`,
    'Repair the queue, or raise SPOOL_MAX_MB.',
  );
}

/** Assesses the files in which running web processes keep batches until they are recorded. */
export function assessJournal(
  files: SpoolFileState[],
  { scanJournal, spoolMaxMb }: Pick<Config, 'scanJournal' | 'spoolMaxMb'>,
  nowMs: number,
): Finding | undefined {
  if (files.length === 0)
    return scanJournal === 'off' ? undefined : spool.ok(`SCAN_JOURNAL=${scanJournal}: the journal is empty.`);
  const message = `${describeFiles(files, nowMs)} of the journal ${agree(files, 'hold')} batches until they are recorded`;
  const fullest = fullestOf(files);
  if (fullest > usedToReport * spoolMaxMb * bytesPerMb)
    return spool.warning(
      `${message}; the fullest process uses ${formatBytes(fullest)} of SPOOL_MAX_MB=${spoolMaxMb}: when it is full, new scans are only in the queue.`,
      'Start more workers, or raise SPOOL_MAX_MB.',
    );
  if (files.some(({ createdAt }) => nowMs - createdAt.getTime() > oldJournalMs))
    return spool.warning(
      `${message}: some have not been recorded for more than 15 minutes.`,
      'See the findings on the queue. If no jobs wait and none failed, the log of the web process says why they are not confirmed.',
    );
  return spool.ok(`${message}.`);
}

/** Bytes of the process that has the most. */
function fullestOf(files: SpoolFileState[]): number {
  const sums = new Map<string, number>();
  for (const { owner, bytes } of files) sums.set(owner, (sums.get(owner) ?? 0) + bytes);
  return Math.max(0, ...sums.values());
}

function agree(files: SpoolFileState[], verb: string): string {
  return files.length === 1 ? `${verb}s` : verb;
}

function describeFiles(files: SpoolFileState[], nowMs: number): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const oldestMs = Math.max(0, ...files.map(({ createdAt }) => nowMs - createdAt.getTime()));
  return `${pluralize(files.length, 'file')} (${formatBytes(bytes)}, the oldest ${formatDuration(oldestMs)} old)`;
}
