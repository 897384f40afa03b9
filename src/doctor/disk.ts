import { statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { type Finding, findingsOn } from './finding.ts';
import { findFolder } from './folder.ts';
import { sizeInWords } from './in-words.ts';

const { ok, warning, failure } = findingsOn('disk');

const megabyte = 1024 * 1024;
const leastMb = 100;
const leastFiles = 100;
const wantedMb = 1024;

export async function examineDisk({ dataDir, spoolMaxMb }: Config): Promise<Finding[]> {
  const { path } = await findFolder(dataDir);
  const { bavail, bsize, files, ffree } = await statfs(path);
  return [judgeSpace(bavail * bsize, dataDir, spoolMaxMb), ...judgeFiles(files, ffree, dataDir)];
}

/** Some file systems have no limit on files, and tell 0 of 0. */
export function judgeFiles(files: number, free: number, dataDir: string): Finding[] {
  if (files === 0 || free >= leastFiles) return [];
  return [
    failure(
      `No more files can be made on the disk of DATA_DIR ${dataDir} (${free} inodes free), however much room there is.`,
      'Delete files there, or set DATA_DIR to a folder on another disk.',
    ),
  ];
}

export function judgeSpace(freeBytes: number, dataDir: string, spoolMaxMb: number): Finding {
  const freeMb = freeBytes / megabyte;
  const sentence = `${sizeInWords(freeBytes)} free for DATA_DIR ${dataDir}`;
  const remedy = 'Make room there, or set DATA_DIR to a folder on a larger disk.';
  if (freeMb < leastMb) return failure(`${sentence}: it is about to be full.`, remedy);
  if (freeMb < spoolMaxMb)
    return warning(`${sentence}, less than SPOOL_MAX_MB=${spoolMaxMb} may need.`, remedy);
  if (freeMb < wantedMb) return warning(`${sentence}.`, remedy);
  return ok(`${sentence}.`);
}
