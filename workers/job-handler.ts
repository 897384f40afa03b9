import { TryLaterError } from '../src/queue/connection.ts';
import { packScans, type RawScan, type ScanJob, unpackScans } from '../src/queue/scan-jobs.ts';
import { createScanRecorder } from '../src/scans/scan-recorder.ts';
import { type Database, isDatabaseUnavailable, plainMessage, sqlState } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';
import { enrich, type LookUps } from './enrich.ts';

interface HandlerParts {
  db: Database;
  lookUps: LookUps;
  sealingKey: Buffer;
  metrics: WorkerMetrics;
  log: Log;
}

/**
 * Records the scans of a job. Where the database cannot be asked, the whole job is put back. Where it refuses the batch
 * because of what it holds, the batch is halved until the scan at fault is alone: that one is buried, the others land.
 */
export function createJobHandler({ db, lookUps, sealingKey, metrics, log }: HandlerParts) {
  const recordRows = createScanRecorder(db);

  async function record(scans: RawScan[]): Promise<void> {
    try {
      const { recorded, known } = await recordRows(scans.map((scan) => enrich(scan, lookUps)));
      metrics.scansRecorded.recorded += recorded;
      metrics.scansRecorded.delivered_before += known - recorded;
      metrics.scansRecorded.code_deleted += scans.length - known;
    } catch (error) {
      if (isDatabaseUnavailable(error) || isPassing(error))
        throw new TryLaterError('the database did not take them', { cause: error });
      if (!isRefusal(error)) throw error;
      const [scan] = scans;
      if (scans.length === 1 && scan) return bury(scan, error);
      const middle = scans.length >> 1;
      await record(scans.slice(0, middle));
      await record(scans.slice(middle));
    }
  }

  async function bury(scan: RawScan, error: unknown): Promise<void> {
    const reason = error instanceof Error ? plainMessage(error).slice(0, 1_000) : String(error);
    await db('dead_scans').insert({
      job: JSON.stringify(packScans([scan], sealingKey)),
      reason: reason.replaceAll('\0', ''),
    });
    metrics.scansRecorded.dead += 1;
    log.error({ scanId: scan.id, reason }, 'a scan could not be recorded: see `qrelay scans dead`');
  }

  return async (job: ScanJob): Promise<void> => {
    const startedAt = performance.now();
    metrics.jobScans.observe(job.scans.length);
    try {
      await record(unpackScans(job, sealingKey));
      metrics.jobs.done += 1;
    } catch (error) {
      metrics.jobs[error instanceof TryLaterError ? 'put_back' : 'failed'] += 1;
      throw error;
    } finally {
      metrics.jobSeconds.observe((performance.now() - startedAt) / 1000);
    }
  };
}

/** The data is at fault: out of range or of the wrong form (22), or against a rule (23). */
function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}

/** Nobody is at fault: a deadlock or a clash (40), no room just now (53), cancelled by an operator (57). */
function isPassing(error: unknown): boolean {
  return /^(40|53|57)/.test(sqlState(error) ?? '');
}
