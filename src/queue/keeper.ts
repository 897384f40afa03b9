import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import type { ScanJob } from './scan-jobs.ts';
import { type Spool, SpoolFullError } from './spool.ts';

/** About 100,000 scans. */
const usualMaxHeldBytes = 32 * 1024 * 1024;
/** While the disk refuses, it is not asked again for every batch. */
const askDiskAgainMs = 250;

/** Keeps the batches that the queue did not take. */
export interface ScanKeeper {
  /** Never fails: to the spool, else into memory, else dropped and counted. */
  keep(job: ScanJob): Promise<void>;
  /** Whether nothing is in memory. */
  isEmpty(): boolean;
  /** Hands what is in memory to the queue, where it is given, or else to the spool. Rejects where that fails. */
  retry(add?: (job: ScanJob) => Promise<unknown>): Promise<void>;
  /** Gives up what is still in memory, and counts it. */
  close(): void;
}

interface KeeperParts {
  spool: Spool;
  metrics: WebMetrics;
  log: Log;
  maxHeldBytes?: number;
}

/**
 * Scans that neither the queue nor the disk takes are lost for certain if they are dropped, and only perhaps if they are
 * held in memory: the process may live until there is room. So they are held, up to a limit.
 */
export function createKeeper({
  spool,
  metrics,
  log,
  maxHeldBytes = usualMaxHeldBytes,
}: KeeperParts): ScanKeeper {
  const held: { job: ScanJob; bytes: number }[] = [];
  let heldBytes = 0;
  let diskRefusedAt = Number.NEGATIVE_INFINITY;
  let retrying: Promise<void> | undefined;

  const tellHeld = throttle((err, scans) =>
    log.error(
      { err, scans },
      'scans are kept in memory only, because neither the queue nor the disk takes them: make room for DATA_DIR, or bring the queue back',
    ),
  );
  const tellDropped = throttle((err, scans) =>
    log.error({ err, scans }, 'scans were dropped: neither the queue nor the spool takes them'),
  );

  function drop(job: ScanJob, err: unknown): void {
    metrics.scansDropped.inc(job.scans.length);
    tellDropped(err, job.scans.length);
  }

  function hold(job: ScanJob, err: unknown): void {
    const bytes = JSON.stringify(job).length;
    if (heldBytes + bytes > maxHeldBytes) return drop(job, err);
    held.push({ job, bytes });
    heldBytes += bytes;
    metrics.scansInMemory.inc(job.scans.length);
    tellHeld(err, job.scans.length);
  }

  async function append(job: ScanJob): Promise<void> {
    try {
      await spool.append(job);
    } catch (error) {
      if (!(error instanceof SpoolFullError)) diskRefusedAt = performance.now();
      throw error;
    }
    metrics.scansSpooled.inc(job.scans.length);
  }

  async function retryAll(add?: (job: ScanJob) => Promise<unknown>): Promise<void> {
    for (let first = held[0]; first; first = held[0]) {
      const { job, bytes } = first;
      if (add) {
        await add(job);
        metrics.scansQueued.inc(job.scans.length);
      } else {
        await append(job);
      }
      held.shift();
      heldBytes -= bytes;
      metrics.scansInMemory.dec(job.scans.length);
    }
  }

  return {
    async keep(job) {
      if (performance.now() - diskRefusedAt < askDiskAgainMs)
        return hold(job, new Error('the disk has just refused'));
      try {
        await append(job);
      } catch (error) {
        // The limit is an operator's decision; a disk that fails is not.
        if (error instanceof SpoolFullError) drop(job, error);
        else hold(job, error);
      }
    },
    isEmpty: () => held.length === 0,
    retry(add) {
      retrying ??= retryAll(add).finally(() => {
        retrying = undefined;
      });
      return retrying;
    },
    close() {
      const scans = held.splice(0).reduce((sum, { job }) => sum + job.scans.length, 0);
      if (scans === 0) return;
      metrics.scansInMemory.dec(scans);
      metrics.scansDropped.inc(scans);
      log.error(
        { scans },
        'scans were dropped: the process ends, and neither the queue nor the disk takes them',
      );
    },
  };
}
