import type { Config } from '../config.ts';
import type { SpoolFileState } from '../queue/spool-files.ts';
import { bytesPerMb } from '../runtime/units.ts';
import { agree, bytesByOwner, describeFiles } from './describe-files.ts';
import { type Finding, findingsFor } from './finding.ts';
import { formatBytes } from './format.ts';

const { ok, warning } = findingsFor('spool');

/** Confirmed within seconds, unless workers are behind. */
const oldMs = 15 * 60_000;
const usedToWarn = 0.5;

/** Assesses the files in which running web processes keep batches until they are recorded. */
export function assessJournal(
  files: SpoolFileState[],
  { scanJournal, spoolMaxMb }: Pick<Config, 'scanJournal' | 'spoolMaxMb'>,
  nowMs: number,
): Finding[] {
  if (files.length === 0)
    return scanJournal === 'off' ? [] : [ok(`SCAN_JOURNAL=${scanJournal}: the journal is empty.`)];
  const message = `${describeFiles(files, nowMs)} of the journal ${agree(files, 'hold')} batches until they are recorded`;
  const fullest = Math.max(...bytesByOwner(files).values());
  if (fullest > usedToWarn * spoolMaxMb * bytesPerMb) {
    return [
      warning(
        `${message}; the fullest process uses ${formatBytes(fullest)} of SPOOL_MAX_MB=${spoolMaxMb}: when it is full, new scans are only in the queue.`,
        'Start more workers, or raise SPOOL_MAX_MB.',
      ),
    ];
  }
  if (files.some(({ createdAt }) => nowMs - createdAt.getTime() > oldMs)) {
    return [
      warning(
        `${message}: some have not been recorded for more than 15 minutes.`,
        'See the findings on the queue. If no jobs wait and none failed, the log of the web process says why they are not confirmed.',
      ),
    ];
  }
  return [ok(`${message}.`)];
}
