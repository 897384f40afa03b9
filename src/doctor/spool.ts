import { join } from 'node:path';
import type { Config } from '../config.ts';
import { bytesPerMb } from '../runtime/units.ts';
import { listSpoolFiles, type SpoolFileState } from '../queue/spool-files.ts';
import { type Finding, findingsFor } from './finding.ts';
import { findNearestFolder } from './nearest-folder.ts';
import { pluralize, formatBytes, formatDuration } from './format.ts';

const { ok, warning, failure } = findingsFor('spool');

const usedToFail = 0.5;
/** About the size of a batch under load. With less space left, most batches are dropped. */
const batchBytes = 64 * 1024;

/** Checks the files in which the web processes of this machine keep scans while the queue is down. */
export async function checkSpool({ dataDir, spoolMaxMb }: Config, nowMs: () => number): Promise<Finding[]> {
  const path = join(dataDir, 'spool');
  const folder = await findNearestFolder(path);
  if (folder.error) {
    return [
      failure(
        `${path} is not writable for this user (${folder.error} at ${folder.path}): scans are lost while the queue is down.`,
        'Give the user of the web process write permission there, or set DATA_DIR to another folder.',
      ),
    ];
  }
  const files = await listSpoolFiles(path);
  return [ok(`${path} is writable for this user.`), ...assessFiles(files, spoolMaxMb, nowMs())];
}

function assessFiles(files: SpoolFileState[], spoolMaxMb: number, nowMs: number): Finding[] {
  if (files.length === 0) return [ok('The spool is empty.')];
  const abandoned = files.filter(({ isAbandoned }) => isAbandoned);
  const elsewhere = files.filter(({ isAbandoned, isElsewhere }) => isElsewhere && !isAbandoned);
  const held = files.filter(({ isAbandoned, isElsewhere }) => !isElsewhere && !isAbandoned);
  const findings: Finding[] = [];
  if (abandoned.length > 0) {
    findings.push(
      warning(
        `${describe(abandoned, nowMs)} ${agree(abandoned, 'belong')} to a process that has exited: the scans are not counted yet.`,
        'Start a web process with this DATA_DIR. It adopts the files within 30 seconds.',
      ),
    );
  }
  if (elsewhere.length > 0) {
    findings.push(
      warning(
        `${describe(elsewhere, nowMs)} ${agree(elsewhere, 'belong')} to a process on another machine or in another container: the scans are not counted yet.`,
        'That process replays them when its queue works. If it has exited, a web process with this DATA_DIR adopts them after a minute or two.',
      ),
    );
  }
  if (held.length > 0) findings.push(assessHeld(held, spoolMaxMb, nowMs));
  return findings;
}

function assessHeld(held: SpoolFileState[], spoolMaxMb: number, nowMs: number): Finding {
  // The limit is per process; the fullest one loses scans first.
  const fullest = Math.max(0, ...bytesByOwner(held.filter(({ isAdopted }) => !isAdopted)).values());
  const maxBytes = spoolMaxMb * bytesPerMb;
  const message = `${describe(held, nowMs)} ${agree(held, 'wait')} for the queue; the fullest process uses ${formatBytes(fullest)} of SPOOL_MAX_MB=${spoolMaxMb}`;
  if (fullest <= usedToFail * maxBytes) {
    return warning(
      `${message}.`,
      'They are replayed when the queue works again. See the findings on the queue.',
    );
  }
  const isFull = maxBytes - fullest < batchBytes;
  return failure(
    `${message}: ${isFull ? 'the spool is full, and scans are dropped' : 'when the spool is full, scans are dropped'}.`,
    'Repair the queue, or raise SPOOL_MAX_MB.',
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
  return `${pluralize(files.length, 'file')} (${formatBytes(bytes)}, the oldest ${formatDuration(oldestMs)} old)`;
}
