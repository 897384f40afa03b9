import { BusyError } from '../src/errors.ts';
import {
  type PeriodicHandler,
  type PeriodicJob,
  type PeriodicJobName,
  periodicJobs,
} from '../src/queue/periodic-queue.ts';
import type { QueueDefinition } from '../src/queue/queue-definition.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import type { queues } from '../src/queue/queues.ts';
import { withTimeout } from '../src/runtime/timeout.ts';
import { isDatabaseUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { createDestinationHandler } from './destination-handler.ts';
import { createExportHandler } from './export-handler.ts';
import { createHousekeepingHandler, createPartitionHandler, createPurgeHandler } from './housekeeping.ts';
import { createMailHandler } from './mail-handler.ts';
import { createNoticeHandler } from './notice-handler.ts';
import { createScanHandler } from './scan-handler.ts';
import { createStyleHandler } from './style-handler.ts';
import type { WebhookDeliverer } from './webhook-deliverer.ts';

type Queues = typeof queues;
type DataOf<Definition> = Definition extends QueueDefinition<infer Data> ? Data : never;
type Handlers = { [Name in keyof Queues]: JobHandler<DataOf<Queues[Name]>> };
type PeriodicHandlers = Record<PeriodicJobName, PeriodicHandler>;
type ResourcesOf<Create extends (resources: never) => unknown> = Parameters<Create>[0];

/** What the handlers need, opened in worker-service.ts. */
type Resources = ResourcesOf<typeof createScanHandler> &
  ResourcesOf<typeof createMailHandler> &
  ResourcesOf<typeof createExportHandler> &
  PeriodicResources & { closing: AbortSignal };

type PeriodicResources = ResourcesOf<typeof createStyleHandler> &
  ResourcesOf<typeof createPurgeHandler> &
  ResourcesOf<typeof createHousekeepingHandler> &
  ResourcesOf<typeof createNoticeHandler> &
  ResourcesOf<typeof createDestinationHandler> &
  ResourcesOf<typeof createPartitionHandler> & { deliverer: WebhookDeliverer };

/** A handler for each queue: a queue without one is a type error. */
export function createHandlers(resources: Resources): Handlers {
  return {
    scans: createScanHandler(resources),
    periodic: createPeriodicHandler(periodicHandlers(resources), resources),
    mail: createMailHandler(resources),
    exports: createExportHandler(resources),
  };
}

/** A handler for each periodic job: a job without one is a type error. */
function periodicHandlers(resources: PeriodicResources): PeriodicHandlers {
  return {
    webhooks: resources.deliverer.start,
    styles: createStyleHandler(resources),
    purge: createPurgeHandler(resources),
    housekeeping: createHousekeepingHandler(resources),
    notices: createNoticeHandler(resources),
    destinations: createDestinationHandler(resources),
    partitions: createPartitionHandler(resources),
  };
}

/** A run that is not back this long after its time, longer than any step of it takes, is given up: it hangs. */
const overrunMs = 15 * 60_000;

/**
 * Runs the handler of a job's name, one run at a time in this process. Jobs that arrive meanwhile end at once, and one more
 * run follows for all of them: what has to be done is in the database, not in the jobs.
 */
export function createPeriodicHandler(
  handlers: Partial<PeriodicHandlers>,
  { closing, log }: { closing: AbortSignal; log: Log },
): JobHandler<object> {
  /** Whether another run has to follow, by the name of the job that is running. */
  const running = new Map<string, boolean>();

  async function run(handle: PeriodicHandler, { maxRunMs, whenUnavailable }: PeriodicJob): Promise<void> {
    const startedAt = performance.now();
    const isOver = (share = 1) => closing.aborted || performance.now() - startedAt > share * maxRunMs;
    try {
      await withTimeout(maxRunMs + overrunMs, handle({ isOver }));
    } catch (err) {
      const isLeftToNextRun = isDatabaseUnavailable(err) || err instanceof BusyError;
      if (!isLeftToNextRun || whenUnavailable === undefined) throw err;
      log.warn({ err }, whenUnavailable);
    }
  }

  return async (_data, name) => {
    const handle = handlers[name as PeriodicJobName];
    // A job that only a later release knows: one of its workers takes it at a following period.
    if (!handle) return;
    const isRunning = running.has(name);
    running.set(name, isRunning);
    if (isRunning) return;
    try {
      do {
        running.set(name, false);
        await run(handle, periodicJobs[name as PeriodicJobName]);
      } while (running.get(name) && !closing.aborted);
    } finally {
      running.delete(name);
    }
  };
}
