import type { ScanRow } from '../src/scans/scan.ts';
import { findUnrecordedScans } from '../src/scans/unrecorded-scans.ts';
import type { Database } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';

/** Scans read at each check: enough to notice a loss of one in a hundred within minutes. */
const sampleSize = 200;

type Sampled = Pick<ScanRow, 'id' | 'qrCodeId'>;

export interface RecordingAudit {
  /** Adds one of the recorded scans to the sample. */
  note(recorded: Sampled[]): void;
  /** Looks up the sample in the database. */
  check(): Promise<void>;
}

/**
 * Looks up a sample of recorded scans later, on a connection of its own. A commit that a worker believes in may not have
 * happened, and the worker's own metrics would never show it.
 */
export function createRecordingAudit(db: Database, metrics: WorkerMetrics, log: Log): RecordingAudit {
  let sample: Sampled[] = [];
  let seen = 0;

  return {
    note(recorded) {
      const one = recorded[Math.floor(Math.random() * recorded.length)];
      if (!one) return;
      seen += 1;
      // Reservoir sampling: each batch has the same chance to be in the sample.
      const index = sample.length < sampleSize ? sample.length : Math.floor(Math.random() * seen);
      if (index < sampleSize) sample[index] = { id: one.id, qrCodeId: one.qrCodeId };
    },
    async check() {
      const checked = sample;
      sample = [];
      seen = 0;
      if (checked.length === 0) return;
      const missing = await findUnrecordedScans(db, checked);
      metrics.scansAudited.found += checked.length - missing.length;
      metrics.scansAudited.missing += missing.length;
      if (missing.length > 0)
        log.error(
          { checked: checked.length, missing: missing.length, scanId: missing[0] },
          'recorded scans are missing from the database: run `qrelay counters verify`, and look for transactions that were rolled back',
        );
    },
  };
}
