import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueDefinition } from '../src/queue/queue-definition.ts';
import { type JobHandler, TryLaterError } from '../src/queue/queue-worker.ts';
import { type BundleStore, isBundle, openMs } from '../src/queue/scan-bundles.ts';
import { countScans, type ScanJob } from '../src/queue/scan-jobs.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';

interface UnbundleOptions {
  storeOf(queue: QueueDefinition): BundleStore;
  /** Adds a batch as a job of its own. */
  add(queue: QueueDefinition, job: ScanJob): Promise<unknown>;
  metrics: Pick<WorkerMetrics, 'jobScans' | 'jobSeconds'>;
}

/**
 * Handles jobs of both kinds. While the database is down, a bundle is put back as it is. If only some of its batches could not
 * be recorded, each of those becomes a job of its own.
 */
export function unbundle(
  handle: (job: ScanJob) => Promise<void>,
  { storeOf, add, metrics }: UnbundleOptions,
): JobHandler<ScanJob> {
  /** Records the batches of one job. */
  async function record(batches: ScanJob[]): Promise<PromiseSettledResult<void>[]> {
    const startedAt = performance.now();
    metrics.jobScans.observe(batches.reduce((sum, batch) => sum + countScans(batch), 0));
    const results = await Promise.allSettled(batches.map(handle));
    metrics.jobSeconds.observe((performance.now() - startedAt) / 1000);
    return results;
  }

  return async (job, _name, queue) => {
    if (!isBundle(job)) {
      const [result] = await record([job]);
      if (result?.status === 'rejected') throw result.reason;
      return;
    }
    const store = storeOf(queue);
    // The clocks may differ, so never longer than a bundle is open.
    const ageMs = Date.now() - job.openedAt;
    if (ageMs < openMs) await sleep(Math.min(openMs, openMs - ageMs));
    const batches = await store.take(job.bundle);
    const failures = (await record(batches)).flatMap((result, index) =>
      result.status === 'rejected'
        ? [{ batch: batches[index] as ScanJob, error: result.reason as unknown }]
        : [],
    );
    const [first] = failures;
    if (first && failures.length === batches.length && failures.every(({ error }) => isWhole(error)))
      throw first.error;
    for (const { batch, error } of failures)
      await add(queue, error instanceof TryLaterError ? ((error.remaining ?? batch) as ScanJob) : batch);
    await store.remove(job.bundle);
  };
}

/** Whether nothing of the batch was done, and it can be tried again as it is. */
function isWhole(error: unknown): boolean {
  return error instanceof TryLaterError && !error.remaining;
}
