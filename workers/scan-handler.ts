import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { validate as isUuid } from 'uuid';
import { renewCodes } from '../src/codes/lifetime.ts';
import { TryLaterError } from '../src/queue/queue-worker.ts';
import {
  type RawScan,
  type ScanJob,
  UnknownKeyError,
  listScans,
  packScans,
  unpackScans,
} from '../src/queue/scan-jobs.ts';
import { createBackoff } from '../src/runtime/backoff.ts';
import { dayMs } from '../src/runtime/units.ts';
import { saveDeadLetter } from '../src/scans/dead-letters.ts';
import { scannedAtOf } from '../src/scans/scan-id.ts';
import { createScanRecorder } from '../src/scans/scan-recorder.ts';
import type { ScanRow } from '../src/scans/scan.ts';
import { type Database, plainMessage, sqlState } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { throttle } from '../src/telemetry/throttle.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';
import { type Lookups, enrich } from './enrich.ts';
import { mergeBatches } from './merge-batches.ts';
import type { RecordingAudit } from './recording-audit.ts';
import { type JobTrace, type ScanTraces, traceIdOf } from './traces.ts';

/** Pauses before each attempt to record the scans of a locked code. After the last one, they are tried later. */
const lockedPausesMs = [0, 25, 100];
/** For this long after that, scans of the code are tried later without a pause: other codes need the worker. */
const lockedMemoryMs = 1_000;

/** One statement records the scans of many jobs. A second one runs meanwhile: for other codes, PostgreSQL has other cores. */
const merging = { maxItems: 4_000, maxRunning: 2, pauseMs: 20 };

/** How long a job waits before it is tried later while the database is down. */
const outagePauses = { firstMs: 100, longestMs: 1_000 };
/** A job that this worker has no key for waits until its scans are this old. Then it fails, and is kept as failed. */
const unknownKeyWaitMs = dayMs;

interface ScanHandlerOptions {
  db: Database;
  lookups: Lookups;
  sealingKey: Buffer;
  /** Also those of earlier root secrets. */
  openingKeys: readonly Buffer[];
  /** The default lifetime of codes. */
  lifetimeDays: number;
  metrics: WorkerMetrics;
  /** Called when scans were recorded that webhook endpoints wait for. */
  onWebhookScans(): void;
  audit: Pick<RecordingAudit, 'note'>;
  log: Log;
  /** Undefined: no traces are exported. */
  traces?: ScanTraces | undefined;
}

/** A scan as it was in the job, and its row. */
interface Enriched {
  scan: RawScan;
  row: ScanRow;
}

/**
 * Records the scans of a job, together with those of other jobs that were delivered at the same time. While the database is
 * down, the whole job is tried later, without limit. If a code is locked, only its scans are tried later. If the database
 * rejects the data, the batch is split in halves until the offending scan is alone: it becomes a dead letter, and the others
 * are recorded.
 */
export function createScanHandler({
  db,
  lookups,
  sealingKey,
  openingKeys,
  lifetimeDays,
  metrics,
  onWebhookScans,
  audit,
  log,
  traces,
}: ScanHandlerOptions): (job: ScanJob) => Promise<void> {
  const recordScans = createScanRecorder(db, lifetimeDays);
  const renewScanned = createCodeRenewals({ db, lifetimeDays, log });
  const outage = createBackoff(outagePauses);
  const lockedCodes = new LRUCache<string, true>({ max: 10_000, ttl: lockedMemoryMs });

  /** A scan that cannot be enriched becomes a dead letter, like one that the database rejects. */
  async function enrichAll(scans: RawScan[]): Promise<Enriched[]> {
    const enriched: Enriched[] = [];
    for (const scan of scans) {
      try {
        enriched.push({ scan, row: enrich(scan, lookups) });
      } catch (error) {
        await deadLetter(scan, error);
      }
    }
    return enriched;
  }

  /** Returns the scans whose codes are locked. */
  async function recordBatch(batch: Enriched[]): Promise<Enriched[]> {
    try {
      const rows = batch.map(({ row }) => row);
      const { recorded, known, lockedCodes: locked, dueCodes, hasEndpoints } = await recordScans(rows);
      if (hasEndpoints) onWebhookScans();
      const left = batch.filter(({ row }) => locked.includes(row.qrCodeId));
      metrics.scansRecorded.recorded += recorded;
      if (recorded > 0)
        metrics.recordingLag.note(
          left.length === 0 ? rows : rows.filter(({ qrCodeId }) => !locked.includes(qrCodeId)),
          Date.now(),
        );
      metrics.scansRecorded.delivered_before += known - recorded;
      metrics.scansRecorded.code_deleted += batch.length - left.length - known;
      if (left.length === 0) audit.note(rows);
      await renewScanned(rows, dueCodes);
      return left;
    } catch (error) {
      if (isLockTimeout(error)) return recordByCode(batch);
      if (!isRejected(error)) throw new TryLaterError('the scans could not be recorded', { cause: error });
      const [only] = batch;
      if (batch.length > 1 || !only) return recordHalves(batch, batch.length >> 1);
      await deadLetter(only.scan, error);
      return [];
    }
  }

  /** Splits the batch between codes, so that only the scans of the locked code are left. */
  async function recordByCode(batch: Enriched[]): Promise<Enriched[]> {
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
    const left = await recordBatch(batch.slice(0, middle));
    return [...left, ...(await recordBatch(batch.slice(middle)))];
  }

  const recordTraced = traces
    ? (batch: Enriched[]) =>
        traces.recording(
          batch.map(({ scan }) => scan),
          () => recordBatch(batch),
        )
    : recordBatch;
  const recordMerged = mergeBatches(recordTraced, merging);

  /** Retries locked codes after short pauses, and returns the scans of those that stay locked. */
  async function recordAll(batch: Enriched[]): Promise<Enriched[]> {
    const tryLater = batch.filter(({ scan }) => lockedCodes.has(scan.codeId));
    let rest = tryLater.length === 0 ? batch : batch.filter(({ scan }) => !lockedCodes.has(scan.codeId));
    for (const pauseMs of lockedPausesMs) {
      if (rest.length === 0) break;
      // Random, so that two workers that locked each other out do not meet again.
      if (pauseMs > 0) await sleep(pauseMs * (0.5 + Math.random()));
      const left = await recordMerged(rest);
      tryLater.push(...left.filter(({ scan }) => lockedCodes.has(scan.codeId)));
      rest = left.filter(({ scan }) => !lockedCodes.has(scan.codeId));
    }
    for (const { scan } of rest) lockedCodes.set(scan.codeId, true);
    return [...tryLater, ...rest];
  }

  async function deadLetter(scan: RawScan, error: unknown): Promise<void> {
    const reason = error instanceof Error ? plainMessage(error).slice(0, 1_000) : String(error);
    await saveDeadLetter(db, {
      scanId: scan.id.slice(0, 100),
      job: JSON.stringify(packScans([scan], sealingKey)),
      reason: reason.replaceAll('\0', ''),
    }).catch((cause: unknown) => {
      throw new TryLaterError('a dead letter could not be saved', { cause });
    });
    metrics.scansRecorded.dead += 1;
    log.error(
      { scanId: scan.id, ...traceIdOf(scan), reason },
      'a scan could not be recorded and became a dead letter: see `qrelay scans dead`',
    );
  }

  /** A new root secret may have reached the web processes first: this worker, or another one, will have it soon. */
  function unpack(job: ScanJob): RawScan[] {
    try {
      return unpackScans(job, ...openingKeys);
    } catch (cause) {
      if (cause instanceof UnknownKeyError && ageMs(job) < unknownKeyWaitMs)
        throw new TryLaterError('the job cannot be decrypted', { cause });
      throw cause;
    }
  }

  return async (job) => {
    let trace: JobTrace | undefined;
    try {
      const scans = unpack(job);
      trace = traces?.start(scans);
      const left = await recordAll(await enrichAll(scans));
      trace?.leave(left.map(({ scan }) => scan));
      if (left.length > 0) {
        const remaining = packScans(
          left.map(({ scan }) => scan),
          sealingKey,
        );
        throw new TryLaterError('a QR code is locked: it is being deleted, or another transaction holds it', {
          remaining,
        });
      }
      outage.reset();
    } catch (error) {
      trace?.fail(error);
      // Without a pause, every waiting job would be fetched and delayed in turn, as fast as the database fails.
      if (error instanceof TryLaterError && !error.remaining) await sleep(outage.next(0));
      throw error;
    } finally {
      trace?.end();
    }
  };
}

function ageMs(job: ScanJob): number {
  const [scanId = ''] = listScans(job)[0] ?? [];
  return isUuid(scanId) ? Date.now() - scannedAtOf(scanId).getTime() : Number.POSITIVE_INFINITY;
}

/** SQLSTATE class 22 (data exception) or 23 (constraint violation): trying again would not help. */
function isRejected(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}

function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/** Codes that are being edited, and those of an outage, are tried again with later scans. */
const waitingCodes = { max: 10_000, ttl: 600_000 };
const retryMs = 1_000;

interface RenewalOptions {
  db: Database;
  lifetimeDays: number;
  log: Log;
  elapsedMs?: () => number;
}

/** Renews codes after their scans were recorded. Never rejects: the scans are recorded in any case. */
export type RenewScannedCodes = (rows: ScanRow[], dueCodes: string[] | undefined) => Promise<void>;

export function createCodeRenewals({
  db,
  lifetimeDays,
  log,
  elapsedMs = () => performance.now(),
}: RenewalOptions): RenewScannedCodes {
  const waiting = new LRUCache<string, Date>(waitingCodes);
  let retryAt = 0;
  const logFailed = throttle((err, times) =>
    log.warn({ err, times }, 'scanned codes could not be renewed; the next scan tries again'),
  );

  /** Returns the codes to try again. */
  async function renew(scans: Map<string, Date>): Promise<string[]> {
    try {
      return await renewCodes(db, scans, lifetimeDays);
    } catch (err) {
      logFailed(err);
      return [...scans.keys()];
    }
  }

  return async (rows, dueCodes = []) => {
    const isRetry = waiting.size > 0 && elapsedMs() >= retryAt;
    if (dueCodes.length === 0 && !isRetry) return;
    const scans = isRetry ? new Map(waiting.entries()) : new Map<string, Date>();
    if (isRetry) waiting.clear();
    for (const [id, scannedAt] of latestScans(rows, new Set(dueCodes))) scans.set(id, scannedAt);
    const left = await renew(scans);
    if (left.length > 0) retryAt = elapsedMs() + retryMs;
    for (const id of left) waiting.set(id, scans.get(id) ?? new Date(0));
  };
}

function latestScans(rows: ScanRow[], codeIds: Set<string>): Map<string, Date> {
  const latest = new Map<string, Date>();
  for (const { qrCodeId, scannedAt } of rows) {
    if (!codeIds.has(qrCodeId)) continue;
    const known = latest.get(qrCodeId);
    if (!known || known < scannedAt) latest.set(qrCodeId, scannedAt);
  }
  return latest;
}
