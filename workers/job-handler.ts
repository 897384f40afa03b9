import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createBackoff } from '../src/runtime/backoff.ts';
import { TryLaterError } from '../src/queue/connection.ts';
import { packScans, type RawScan, type ScanJob, unpackScans } from '../src/queue/scan-jobs.ts';
import { keepDeadScan } from '../src/scans/dead-scans.ts';
import type { ScanRow } from '../src/scans/scan.ts';
import { createScanRecorder } from '../src/scans/scan-recorder.ts';
import { type Database, plainMessage, sqlState } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';
import { enrich, type LookUps } from './enrich.ts';
import type { RecordingAudit } from './recording-audit.ts';

/** Pauses before the scans of a code that is locked are tried again. After the last one they are put back. */
const lockedPausesMs = [0, 25, 100];
/** For this long after that, the code is not waited for again: other codes need the worker. */
const lockedMemoryMs = 1_000;

/** How long a job waits before it is put back while the database is unavailable. */
const outagePauses = { firstMs: 100, longestMs: 1_000 };

interface HandlerParts {
  db: Database;
  lookUps: LookUps;
  sealingKey: Buffer;
  metrics: WorkerMetrics;
  audit: Pick<RecordingAudit, 'note'>;
  log: Log;
}

/** A scan as it came, and as it goes into the table. */
interface Enriched {
  scan: RawScan;
  row: ScanRow;
}

/**
 * Records the scans of a job. Where the database cannot do it now, for whatever reason, the whole job is put back, without
 * limit. Where a code is locked, its scans alone are put back. Where the database refuses the batch because of what it
 * holds, the batch is halved until the scan at fault is alone: that one is kept as a dead scan, the others are recorded.
 */
export function createJobHandler({ db, lookUps, sealingKey, metrics, audit, log }: HandlerParts) {
  const recordRows = createScanRecorder(db);
  const outage = createBackoff(outagePauses);
  const lockedCodes = new LRUCache<string, true>({ max: 10_000, ttl: lockedMemoryMs });

  /** A scan that cannot be enriched is refused like one that the database cannot store. */
  async function enrichAll(scans: RawScan[]): Promise<Enriched[]> {
    const enriched: Enriched[] = [];
    for (const scan of scans) {
      try {
        enriched.push({ scan, row: enrich(scan, lookUps) });
      } catch (error) {
        await refuse(scan, error);
      }
    }
    return enriched;
  }

  /** Gives back the scans whose codes are locked. */
  async function record(batch: Enriched[]): Promise<Enriched[]> {
    try {
      const { recorded, known, lockedCodes: locked } = await recordRows(batch.map(({ row }) => row));
      const left = batch.filter(({ row }) => locked.includes(row.qrCodeId));
      metrics.scansRecorded.recorded += recorded;
      metrics.scansRecorded.delivered_before += known - recorded;
      metrics.scansRecorded.code_deleted += batch.length - left.length - known;
      if (left.length === 0) audit.note(batch.map(({ row }) => row));
      return left;
    } catch (error) {
      if (isLockTimeout(error)) return recordApart(batch);
      if (!isRefusal(error)) throw new TryLaterError('the database did not take them', { cause: error });
      const [only] = batch;
      if (batch.length > 1 || !only) return recordHalves(batch, batch.length >> 1);
      await refuse(only.scan, error);
      return [];
    }
  }

  /** Codes apart from each other, so that only the scans of the locked one are left. */
  async function recordApart(batch: Enriched[]): Promise<Enriched[]> {
    const byCode = batch.toSorted((a, b) => (a.row.qrCodeId < b.row.qrCodeId ? -1 : 1));
    const firstCode = byCode[0]?.row.qrCodeId;
    const codes = [...new Set(byCode.map(({ row }) => row.qrCodeId))];
    if (codes.length === 1 || firstCode === undefined) return batch;
    const middleCode = codes[codes.length >> 1];
    return recordHalves(
      byCode,
      byCode.findIndex(({ row }) => row.qrCodeId === middleCode),
    );
  }

  async function recordHalves(batch: Enriched[], middle: number): Promise<Enriched[]> {
    const left = await record(batch.slice(0, middle));
    return [...left, ...(await record(batch.slice(middle)))];
  }

  /** Waits a moment for codes that are locked, and gives back the scans of those that stay so. */
  async function recordAll(batch: Enriched[]): Promise<Enriched[]> {
    const putBack: Enriched[] = [];
    let rest = batch;
    for (const pauseMs of lockedPausesMs) {
      if (rest.length === 0) break;
      // A different pause each time: recorders that met once do not meet again.
      if (pauseMs > 0) await sleep(pauseMs * (0.5 + Math.random()));
      const left = await record(rest);
      putBack.push(...left.filter(({ scan }) => lockedCodes.has(scan.codeId)));
      rest = left.filter(({ scan }) => !lockedCodes.has(scan.codeId));
    }
    for (const { scan } of [...putBack, ...rest]) lockedCodes.set(scan.codeId, true);
    return [...putBack, ...rest];
  }

  async function refuse(scan: RawScan, error: unknown): Promise<void> {
    const reason = error instanceof Error ? plainMessage(error).slice(0, 1_000) : String(error);
    await keepDeadScan(db, {
      scanId: scan.id.slice(0, 100),
      job: JSON.stringify(packScans([scan], sealingKey)),
      reason: reason.replaceAll('\0', ''),
    }).catch((cause: unknown) => {
      throw new TryLaterError('the database did not take a dead scan', { cause });
    });
    metrics.scansRecorded.dead += 1;
    log.error({ scanId: scan.id, reason }, 'a scan could not be recorded: see `qrelay scans dead`');
  }

  return async (job: ScanJob): Promise<void> => {
    const startedAt = performance.now();
    metrics.jobScans.observe(job.scans.length);
    try {
      const left = await recordAll(await enrichAll(unpackScans(job, sealingKey)));
      if (left.length > 0) {
        const remaining = packScans(
          left.map(({ scan }) => scan),
          sealingKey,
        );
        throw new TryLaterError('a QR code is locked: it is being deleted, or a transaction holds it', {
          remaining,
        });
      }
      metrics.jobs.done += 1;
      outage.reset();
    } catch (error) {
      metrics.jobs[error instanceof TryLaterError ? 'put_back' : 'failed'] += 1;
      // Otherwise every waiting job would be taken and put back in turn, as fast as the database refuses them.
      if (error instanceof TryLaterError && !error.remaining) await sleep(outage.next(0));
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

function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}
