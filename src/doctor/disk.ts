import { statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { bytesPerMb } from '../runtime/units.ts';
import { type Finding, findingsFor } from './finding.ts';
import { assessFileSystem } from './file-system.ts';
import { findNearestFolder } from './nearest-folder.ts';
import { formatBytes } from './format.ts';

const { ok, warning, failure } = findingsFor('disk');

const minimumMb = 100;
const minimumFiles = 100;
const recommendedMb = 1024;

export async function checkDisk({ dataDir, spoolMaxMb, scanJournal }: Config): Promise<Finding[]> {
  const { path } = await findNearestFolder(dataDir);
  const { type, bavail, bsize, files, ffree } = await statfs(path);
  const hasJournal = scanJournal !== 'off';
  const fileSystem = assessFileSystem(type, dataDir);
  return [
    assessSpace(bavail * bsize, dataDir, spoolMaxMb, hasJournal),
    ...assessFiles(files, ffree, dataDir),
    ...(path === dataDir ? [] : [missing(dataDir, path)]),
    ...(path === dataDir || fileSystem.state !== 'ok' ? [fileSystem] : []),
  ];
}

/** Created by the first process that needs it, which hides a wrong path or a disk that is not mounted. */
function missing(dataDir: string, parent: string): Finding {
  return warning(
    `DATA_DIR ${dataDir} does not exist: a web process creates it on the disk of ${parent}, and scans in the spool of another folder are not replayed.`,
    'Correct DATA_DIR, mount its disk, or create the folder for the user of the web processes.',
  );
}

/** File systems without a limit on files report 0 of 0. */
export function assessFiles(files: number, free: number, dataDir: string): Finding[] {
  if (files === 0 || free >= minimumFiles) return [];
  return [
    failure(
      `The disk of DATA_DIR ${dataDir} is running out of inodes (${free} free): no more files can be created, even with free space.`,
      'Delete files there, or set DATA_DIR to a folder on another disk.',
    ),
  ];
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
  if (freeMb < minimumMb) return failure(`${message}: the disk is almost full.`, remedy);
  if (freeMb < spoolMaxMb * (hasJournal ? 2 : 1)) {
    const users = hasJournal
      ? `the spool and the journal may need (SPOOL_MAX_MB=${spoolMaxMb} each)`
      : `the spool may need (SPOOL_MAX_MB=${spoolMaxMb})`;
    return warning(`${message}, less than ${users}.`, remedy);
  }
  if (freeMb < recommendedMb) return warning(`${message}.`, remedy);
  return ok(`${message}.`);
}
