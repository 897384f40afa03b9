import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { countScans, type ScanJob } from './scan-jobs.ts';
import { type Spool, SpoolFullError } from './spool.ts';

/** About 100,000 scans. */
const defaultMaxMemoryBytes = 32 * 1024 * 1024;
/** After a failed write to the disk, batches go to memory for this long before the disk is tried again. */
const diskRetryMs = 250;

/** What holds a scan when its redirect is sent. */
export type ScanStorage = 'queue' | 'spool' | 'memory' | 'dropped';

/** Stores the batches that the queue did not take. */
export interface FallbackStorage {
  /** Never rejects: the batch goes to the spool, else to memory, else it is dropped and counted. */
  save(job: ScanJob): Promise<ScanStorage>;
  /** Whether memory holds no batches. */
  isEmpty(): boolean;
  /** Moves the batches in memory to the queue if `add` is given, else to the spool. Rejects if that fails. */
  flush(add?: (job: ScanJob) => Promise<unknown>): Promise<void>;
  /** Drops the batches that are still in memory, and counts them. */
  close(): void;
}

interface FallbackStorageOptions {
  spool: Spool;
  metrics: WebMetrics;
  log: Log;
  maxMemoryBytes?: number;
}

/**
 * Scans that neither the queue nor the disk takes are held in memory, up to a limit: the queue or the disk may recover
 * before the process ends.
 */
export function createFallbackStorage({
  spool,
  metrics,
  log,
  maxMemoryBytes = defaultMaxMemoryBytes,
}: FallbackStorageOptions): FallbackStorage {
  const held: { job: ScanJob; bytes: number }[] = [];
  let heldBytes = 0;
  let diskFailedAt = Number.NEGATIVE_INFINITY;
  let flushing: Promise<void> | undefined;

  const logHeld = throttle((err, scans) =>
    log.error(
      { err, scans },
      'scans are held in memory only, because neither the queue nor the disk takes them: free space on the disk of DATA_DIR, or bring the queue back',
    ),
  );
  const logDropped = throttle((err, scans) =>
    log.error({ err, scans }, 'scans were dropped: neither the queue nor the spool takes them'),
  );

  function drop(job: ScanJob, err: unknown): ScanStorage {
    metrics.scansDropped.inc(countScans(job));
    logDropped(err, countScans(job));
    return 'dropped';
  }

  function hold(job: ScanJob, err: unknown): ScanStorage {
    const bytes = JSON.stringify(job).length;
    if (heldBytes + bytes > maxMemoryBytes) return drop(job, err);
    held.push({ job, bytes });
    heldBytes += bytes;
    metrics.scansInMemory.inc(countScans(job));
    logHeld(err, countScans(job));
    return 'memory';
  }

  async function append(job: ScanJob): Promise<void> {
    try {
      await spool.append(job);
    } catch (error) {
      if (!(error instanceof SpoolFullError)) diskFailedAt = performance.now();
      throw error;
    }
    metrics.scansSpooled.inc(countScans(job));
  }

  async function flushAll(add?: (job: ScanJob) => Promise<unknown>): Promise<void> {
    for (let first = held[0]; first; first = held[0]) {
      const { job, bytes } = first;
      if (add) {
        await add(job);
        metrics.scansQueued.inc(countScans(job));
      } else {
        await append(job);
      }
      held.shift();
      heldBytes -= bytes;
      metrics.scansInMemory.dec(countScans(job));
    }
  }

  return {
    async save(job) {
      if (performance.now() - diskFailedAt < diskRetryMs)
        return hold(job, new Error('the last write to the disk failed'));
      try {
        await append(job);
        return 'spool';
      } catch (error) {
        // The operator chose the limit of the spool; nobody chose a disk that fails.
        return error instanceof SpoolFullError ? drop(job, error) : hold(job, error);
      }
    },
    isEmpty: () => held.length === 0,
    flush(add) {
      flushing ??= flushAll(add).finally(() => {
        flushing = undefined;
      });
      return flushing;
    },
    close() {
      const scans = held.splice(0).reduce((sum, { job }) => sum + countScans(job), 0);
      if (scans === 0) return;
      metrics.scansInMemory.dec(scans);
      metrics.scansDropped.inc(scans);
      log.error(
        { scans },
        'scans were dropped: the process shuts down, and neither the queue nor the disk takes them',
      );
    },
  };
}
