import type { Log } from '../telemetry/log.ts';
import type { ScanQueue } from './connection.ts';
import { packScans, type RawScan, scanJobName } from './scan-jobs.ts';

const mostScansPerJob = 500;
const mostScansHeld = 100_000;
const retryDelayMs = 250;

export interface ScanProducer {
  /** Calls back when the queue has the scan, or when waiting longer would hold up the redirect. */
  record(scan: RawScan, recorded: () => void): void;
  /** Hands over what is still held. */
  close(): Promise<void>;
}

interface Entry {
  scan: RawScan;
  recorded: () => void;
}

/**
 * Batches that clock themselves: while one job is on its way the scans that arrive gather for the next, which leaves
 * as soon as the last was acknowledged. Idle, a scan waits one round trip; under load, batches grow by themselves.
 *
 *   idle → (scan) → sending → acknowledged → idle, or sending the next
 *                      ├ later than the deadline → redirects stop waiting until an acknowledgement comes
 *                      └ failed → the same scans, with the same ids, are sent again
 */
export function createProducer(
  queue: ScanQueue,
  sealingKey: Buffer,
  log: Log,
  { deadlineMs = 50 } = {},
): ScanProducer {
  let gathered: Entry[] = [];
  let sending: Entry[] | undefined;
  let late = false;
  let idle: (() => void) | undefined;

  function release(entries: Entry[]): void {
    for (const entry of entries) {
      entry.recorded();
      entry.recorded = released;
    }
  }

  function send(): void {
    if (sending) return;
    if (gathered.length === 0) {
      idle?.();
      return;
    }
    const batch = gathered.splice(0, mostScansPerJob);
    sending = batch;
    const deadline = setTimeout(() => {
      late = true;
      release(batch);
      release(gathered);
    }, deadlineMs);
    const scans = batch.map(({ scan }) => scan);
    queue.add(scanJobName, packScans(scans, sealingKey)).then(
      () => {
        late = false;
        clearTimeout(deadline);
        sending = undefined;
        release(batch);
        send();
      },
      (err: unknown) => {
        late = true;
        clearTimeout(deadline);
        release(batch);
        release(gathered);
        log.warn({ err, scans: batch.length }, 'the queue did not take the scans; trying again');
        gathered = batch.concat(gathered);
        setTimeout(() => {
          sending = undefined;
          send();
        }, retryDelayMs);
      },
    );
  }

  return {
    record(scan, recorded) {
      if (gathered.length >= mostScansHeld) {
        log.error('too many scans are waiting for the queue: one was dropped');
        recorded();
        return;
      }
      if (late) {
        gathered.push({ scan, recorded: released });
        recorded();
      } else {
        gathered.push({ scan, recorded });
      }
      send();
    },
    close() {
      return new Promise((resolve) => {
        idle = resolve;
        send();
      });
    },
  };
}

function released(): void {
  // Its redirect has gone out already.
}
