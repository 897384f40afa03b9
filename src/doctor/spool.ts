import { join } from 'node:path';
import type { Config } from '../config.ts';
import { bytesPerMb } from '../runtime/units.ts';
import { listSpoolFiles, type SpoolFileState } from '../queue/spool-files.ts';
import { type Finding, findingsFor } from './finding.ts';
import { assessJournal } from './journal.ts';
import { findNearestFolder } from './nearest-folder.ts';
import { formatBytes } from './format.ts';
import { agree, bytesByOwner, describeFiles } from './describe-files.ts';

const { ok, warning, failure } = findingsFor('spool');

const usedToFail = 0.5;
/** About the size of a batch under load. With less space left, most batches are dropped. */
const batchBytes = 64 * 1024;

/** Checks the files in which the web processes of this machine keep scans while the queue is down. */
export async function checkSpool(config: Config, nowMs: () => number): Promise<Finding[]> {
  const { dataDir, spoolMaxMb } = config;
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
  // An exited process leaves its journal to the next one, which replays it as a spool.
  const isJournal = (file: SpoolFileState) => file.isJournal && !file.isAbandoned;
  return [
    ok(folder.path === path ? `${path} is writable for this user.` : `${path} can be created by this user.`),
    ...assessFiles(
      files.filter((file) => !isJournal(file)),
      spoolMaxMb,
      nowMs(),
    ),
    ...assessJournal(files.filter(isJournal), config, nowMs()),
  ];
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
        `${describeFiles(abandoned, nowMs)} ${agree(abandoned, 'belong')} to a process that has exited: the scans are not counted yet.`,
        'Start a web process with this DATA_DIR. It adopts the files within 30 seconds.',
      ),
    );
  }
  if (elsewhere.length > 0) {
    findings.push(
      warning(
        `${describeFiles(elsewhere, nowMs)} ${agree(elsewhere, 'belong')} to a process on another machine or in another container: the scans are not counted yet.`,
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
  const message = `${describeFiles(held, nowMs)} ${agree(held, 'wait')} for the queue; the fullest process uses ${formatBytes(fullest)} of SPOOL_MAX_MB=${spoolMaxMb}`;
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
