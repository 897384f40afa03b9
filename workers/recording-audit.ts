import type { ScanRow } from '../src/scans/scan.ts';
import { findMissingScans } from '../src/scans/missing-scans.ts';
import type { Database } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';

/** Scans that are looked up at each check: enough to notice a loss of one in a hundred within minutes. */
const sampleSize = 200;

type Sampled = Pick<ScanRow, 'id' | 'qrCodeId'>;

export interface RecordingAudit {
  /** Remembers some of the scans that were just recorded. */
  note(recorded: Sampled[]): void;
  /** Looks the remembered ones up in the database. */
  check(): Promise<void>;
}

/**
 * Looks a sample of recorded scans up again, later and on a connection of its own. What a worker believes to be committed
 * may not be: its own figures would never show that.
 */
export function createRecordingAudit(db: Database, metrics: WorkerMetrics, log: Log): RecordingAudit {
  let sample: Sampled[] = [];
  let seen = 0;

  return {
    note(recorded) {
      const one = recorded[Math.floor(Math.random() * recorded.length)];
      if (!one) return;
      seen += 1;
      // Each batch has the same chance to be in the sample, however many there are.
      const place = sample.length < sampleSize ? sample.length : Math.floor(Math.random() * seen);
      if (place < sampleSize) sample[place] = { id: one.id, qrCodeId: one.qrCodeId };
    },
    async check() {
      const checked = sample;
      sample = [];
      seen = 0;
      if (checked.length === 0) return;
      const missing = await findMissingScans(db, checked);
      metrics.scansAudited.found += checked.length - missing.length;
      metrics.scansAudited.missing += missing.length;
      if (missing.length > 0)
        log.error(
          { checked: checked.length, missing: missing.length, scanId: missing[0] },
          'recorded scans are missing in the database: compare counts with `qrelay counters verify` and look for transactions that were rolled back',
        );
    },
  };
}
