import { joinCalls } from '../runtime/once.ts';
import { TimeoutError, withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { countScans, type ScanJob } from './scan-jobs.ts';
import { type Spool, SpoolFullError } from './spool.ts';

/** About 100,000 scans. */
const defaultMaxMemoryBytes = 32 * 1024 * 1024;
/** After a failed write to the disk, batches go to memory for this long before the disk is tried again. */
const diskRetryMs = 250;
/** A redirect does not wait longer for the disk. */
const defaultAppendTimeoutMs = 250;

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
  appendTimeoutMs?: number;
}

/**
 *   writing ── on the disk in time → done
 *      ├── late → held ── on the disk after all → done
 *      └── failed → held ── added to the queue, or written at another try → done
 */
interface Batch {
  job: ScanJob;
  bytes: number;
  /** `leaving`: on its way to the queue. Should the disk have it now, it is removed there. */
  state: 'writing' | 'held' | 'leaving' | 'done';
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
  appendTimeoutMs = defaultAppendTimeoutMs,
}: FallbackStorageOptions): FallbackStorage {
  /** Oldest first. */
  const held = new Set<Batch>();
  let heldBytes = 0;
  let diskFailedAt = Number.NEGATIVE_INFINITY;

  const logHeld = throttle((err, scans) =>
    log.error(
      { err, scans },
      'scans are held in memory only, because neither the queue nor the disk takes them: free space on the disk of DATA_DIR, or bring the queue back',
    ),
  );
  const logDropped = throttle((err, scans) =>
    log.error({ err, scans }, 'scans were dropped: neither the queue nor the spool takes them'),
  );

  function drop(batch: Batch, err: unknown): ScanStorage {
    batch.state = 'done';
    metrics.scansDropped.inc(countScans(batch.job));
    logDropped(err, countScans(batch.job));
    return 'dropped';
  }

  function hold(batch: Batch, err: unknown): ScanStorage {
    batch.bytes = JSON.stringify(batch.job).length;
    if (heldBytes + batch.bytes > maxMemoryBytes) return drop(batch, err);
    batch.state = 'held';
    held.add(batch);
    heldBytes += batch.bytes;
    metrics.scansInMemory.inc(countScans(batch.job));
    logHeld(err, countScans(batch.job));
    return 'memory';
  }

  function release(batch: Batch): void {
    batch.state = 'done';
    if (!held.delete(batch)) return;
    heldBytes -= batch.bytes;
    metrics.scansInMemory.dec(countScans(batch.job));
  }

  /** Rejects if the disk does not have the batch in time. It may still get it later. */
  async function write(batch: Batch): Promise<void> {
    const accept = () => {
      if (batch.state === 'leaving' || batch.state === 'done') return false;
      release(batch);
      metrics.scansSpooled.inc(countScans(batch.job));
      return true;
    };
    const written = spool.append(batch.job, accept);
    // After the timeout nobody listens any more.
    written.catch(() => undefined);
    try {
      await withTimeout(appendTimeoutMs, written);
    } catch (error) {
      if (!(error instanceof SpoolFullError)) diskFailedAt = performance.now();
      throw error instanceof TimeoutError ? new Error('the disk does not respond', { cause: error }) : error;
    }
  }

  async function flushAll(add?: (job: ScanJob) => Promise<unknown>): Promise<void> {
    for (let [batch] = held; batch; [batch] = held) {
      if (!add) {
        await write(batch);
        continue;
      }
      batch.state = 'leaving';
      try {
        await add(batch.job);
      } catch (error) {
        batch.state = 'held';
        throw error;
      }
      metrics.scansQueued.inc(countScans(batch.job));
      release(batch);
    }
  }

  return {
    async save(job) {
      const batch: Batch = { job, bytes: 0, state: 'writing' };
      if (performance.now() - diskFailedAt < diskRetryMs)
        return hold(batch, new Error('the last write to the disk failed'));
      try {
        await write(batch);
        return 'spool';
      } catch (error) {
        // The operator chose the limit of the spool; nobody chose a disk that fails.
        return error instanceof SpoolFullError ? drop(batch, error) : hold(batch, error);
      }
    },
    isEmpty: () => held.size === 0,
    flush: joinCalls(flushAll),
    close() {
      let scans = 0;
      for (const batch of held) {
        scans += countScans(batch.job);
        release(batch);
      }
      if (scans === 0) return;
      metrics.scansDropped.inc(scans);
      log.error(
        { scans },
        'scans were dropped: the process shuts down, and neither the queue nor the disk takes them',
      );
    },
  };
}
