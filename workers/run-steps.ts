import { isDatabaseUnavailable, isQueryCanceled } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';

export interface StepOptions {
  /** Of the job, for logs and metrics. */
  queue: string;
  metrics: Pick<WorkerMetrics, 'stepFailures'>;
  log: Log;
}

/**
 * Runs the steps of a job that repeats, each on its own: one that fails stops no other. Rejects at the end if one failed, so
 * that the job counts as failed. A step that took too long, and all steps while the database is away, are left to the next
 * run: put back, the runs of an outage would pile up.
 */
export async function runSteps(
  steps: Record<string, () => Promise<unknown>>,
  { queue, metrics, log }: StepOptions,
): Promise<void> {
  const failures: { step: string; err: unknown }[] = [];
  for (const [step, run] of Object.entries(steps)) {
    try {
      await run();
    } catch (err) {
      metrics.stepFailures.inc({ queue, step });
      if (isQueryCanceled(err)) {
        log.warn({ err, queue, step }, 'a step of a job took too long; the next run tries again');
        continue;
      }
      if (isDatabaseUnavailable(err)) {
        log.warn(
          { err, queue, step },
          'a job was not finished, because the database was away; the next run does the rest',
        );
        return;
      }
      log.error({ err, queue, step }, 'a step of a job failed; the others are done');
      failures.push({ step, err });
    }
  }
  if (failures.length > 0)
    throw new Error(`Failed: ${failures.map(({ step }) => step).join(', ')}`, { cause: failures[0]?.err });
}
