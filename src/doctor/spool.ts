import { join } from 'node:path';
import type { Config } from '../config.ts';
import { listSpoolFiles, type SpoolFileState } from '../queue/spool-files.ts';
import { type Finding, findingsOn } from './finding.ts';
import { findFolder } from './folder.ts';
import { count, sizeInWords, timeInWords } from './in-words.ts';

const { ok, warning, failure } = findingsOn('spool');

const usedToFail = 0.5;
/** About what a batch takes under load: with less left, most are dropped. */
const batchBytes = 64 * 1024;

/** The files that this machine's web processes keep scans in while the queue is down. */
export async function examineSpool({ dataDir, spoolMaxMb }: Config, nowMs: () => number): Promise<Finding[]> {
  const path = join(dataDir, 'spool');
  const folder = await findFolder(path);
  if (folder.error) {
    return [
      failure(
        `${path} cannot be written by this user (${folder.error} at ${folder.path}): scans are lost while the queue is down.`,
        'Give the user of the web process the right to write there, or set DATA_DIR to another folder.',
      ),
    ];
  }
  const files = await listSpoolFiles(path);
  return [ok(`${path} can be written by this user.`), ...judgeFiles(files, spoolMaxMb, nowMs())];
}

function judgeFiles(files: SpoolFileState[], spoolMaxMb: number, nowMs: number): Finding[] {
  if (files.length === 0) return [ok('No scan waits in it.')];
  const abandoned = files.filter(({ isAbandoned }) => isAbandoned);
  const elsewhere = files.filter(({ isAbandoned, isElsewhere }) => isElsewhere && !isAbandoned);
  const held = files.filter(({ isAbandoned, isElsewhere }) => !isElsewhere && !isAbandoned);
  const findings: Finding[] = [];
  if (abandoned.length > 0) {
    findings.push(
      warning(
        `${describe(abandoned, nowMs)} ${agree(abandoned, 'belong')} to no process that lives: the scans are not counted yet.`,
        'Start a web process with this DATA_DIR: it takes them over within half a minute.',
      ),
    );
  }
  if (elsewhere.length > 0) {
    findings.push(
      warning(
        `${describe(elsewhere, nowMs)} ${agree(elsewhere, 'belong')} to a process of another machine or container: the scans are not counted yet.`,
        'It hands them over itself when its queue works. If it is gone, a web process with this DATA_DIR takes them over a minute or two later.',
      ),
    );
  }
  if (held.length > 0) findings.push(judgeHeld(held, spoolMaxMb, nowMs));
  return findings;
}

function judgeHeld(held: SpoolFileState[], spoolMaxMb: number, nowMs: number): Finding {
  // Each process may keep so much of its own; of the fullest, scans are lost first.
  const fullest = Math.max(0, ...bytesByOwner(held.filter(({ isAdopted }) => !isAdopted)).values());
  const maxBytes = spoolMaxMb * 1024 * 1024;
  const sentence = `${describe(held, nowMs)} ${agree(held, 'wait')} for the queue, in one process ${sizeInWords(fullest)} of SPOOL_MAX_MB=${spoolMaxMb}`;
  if (fullest <= usedToFail * maxBytes) {
    return warning(`${sentence}.`, 'They follow by themselves when the queue works: see there.');
  }
  const isFull = maxBytes - fullest < batchBytes;
  return failure(
    `${sentence}: ${isFull ? 'it is full, and scans are being dropped' : 'when it is full, scans are dropped'}.`,
    'Get the queue to work again, or set SPOOL_MAX_MB higher.',
  );
}

function bytesByOwner(files: SpoolFileState[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { owner, bytes } of files) sums.set(owner, (sums.get(owner) ?? 0) + bytes);
  return sums;
}

function agree(files: SpoolFileState[], verb: string): string {
  return files.length === 1 ? `${verb}s` : verb;
}

function describe(files: SpoolFileState[], nowMs: number): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const oldestMs = Math.max(0, ...files.map(({ createdAt }) => nowMs - createdAt.getTime()));
  return `${count(files.length, 'file')} (${sizeInWords(bytes)}, the oldest made ${timeInWords(oldestMs)} ago)`;
}
