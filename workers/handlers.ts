import { BusyError } from '../src/errors.ts';
import {
  changesJob,
  type PeriodicHandler,
  type PeriodicJob,
  type PeriodicJobName,
  periodicJobs,
  wakeEveryMs,
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
import { unbundle } from './unbundle.ts';
import type { WebhookDeliverer } from './webhook-deliverer.ts';

type Queues = typeof queues;
type DataOf<Definition> = Definition extends QueueDefinition<infer Data> ? Data : never;
type Handlers = { [Name in keyof Queues]: JobHandler<DataOf<Queues[Name]>> };
type PeriodicHandlers = Record<PeriodicJobName, PeriodicHandler>;
type ResourcesOf<Create extends (resources: never) => unknown> = Parameters<Create>[0];

/** What the handlers need, opened in worker-service.ts. */
type Resources = Omit<ResourcesOf<typeof createScanHandler>, 'onWebhookScans'> &
  ResourcesOf<typeof createMailHandler> &
  ResourcesOf<typeof createExportHandler> &
  PeriodicResources & { bundles: Omit<Parameters<typeof unbundle>[1], 'metrics'>; closing: AbortSignal };

type PeriodicResources = ResourcesOf<typeof createStyleHandler> &
  ResourcesOf<typeof createPurgeHandler> &
  ResourcesOf<typeof createHousekeepingHandler> &
  ResourcesOf<typeof createNoticeHandler> &
  ResourcesOf<typeof createDestinationHandler> &
  ResourcesOf<typeof createPartitionHandler> & { deliverer: WebhookDeliverer };

/** A handler for each queue: a queue without one is a type error. */
export function createHandlers(resources: Resources): {
  handlers: Handlers;
  settled: PeriodicRunner['settled'];
} {
  const periodic = createPeriodicHandler(periodicHandlers(resources), resources);
  const handlers: Handlers = {
    scans: unbundle(createScanHandler({ ...resources, onWebhookScans: () => periodic.wake('webhooks') }), {
      ...resources.bundles,
      metrics: resources.metrics,
    }),
    periodic: periodic.handle,
    mail: createMailHandler(resources),
    exports: createExportHandler(resources),
  };
  return { handlers, settled: periodic.settled };
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

/** After a failure: sooner than the next period, which may be minutes away. */
const retryMs = 5_000;

interface PeriodicRunner {
  /** The handler of the queue. */
  handle(data: object, name: string): Promise<void>;
  /** Runs a job soon, in this process, however often that is called. */
  wake(name: PeriodicJobName): void;
  /** Waits for runs that no job of the queue has started. They end soon once the process shuts down. */
  settled(): Promise<void>;
}

/**
 * Runs the handler of a job's name, one run at a time in this process. Jobs that arrive meanwhile end at once, and one more
 * run follows for all of them: what has to be done is in the database, not in the jobs.
 */
export function createPeriodicHandler(
  handlers: Partial<PeriodicHandlers>,
  { closing, log }: { closing: AbortSignal; log: Log },
): PeriodicRunner {
  /** Whether another run has to follow, by the name of the job that is running. */
  const running = new Map<PeriodicJobName, boolean>();
  const startedAt = new Map<PeriodicJobName, number>();
  const planned = new Map<PeriodicJobName, { at: number; timer: NodeJS.Timeout }>();
  const ownRuns = new Set<Promise<void>>();
  closing.addEventListener('abort', () => planned.forEach(({ timer }) => clearTimeout(timer)));

  /** The earliest plan counts. */
  function plan(name: PeriodicJobName, inMs: number): void {
    const at = performance.now() + inMs;
    const known = planned.get(name);
    if (closing.aborted || (known && known.at <= at)) return;
    clearTimeout(known?.timer);
    const timer = setTimeout(() => {
      planned.delete(name);
      const started = run(name)
        .catch((err: unknown) => log.error({ err, job: name }, 'a periodic job failed'))
        .finally(() => ownRuns.delete(started));
      ownRuns.add(started);
    }, inMs);
    planned.set(name, { at, timer });
  }

  function wake(name: PeriodicJobName): void {
    const sinceMs = performance.now() - (startedAt.get(name) ?? Number.NEGATIVE_INFINITY);
    plan(name, Math.max(0, wakeEveryMs - sinceMs));
  }

  async function runOnce(name: PeriodicJobName, handle: PeriodicHandler): Promise<void> {
    const { everyMs, maxRunMs, whenUnavailable }: PeriodicJob = periodicJobs[name];
    const start = performance.now();
    startedAt.set(name, start);
    const isOver = (share = 1) => closing.aborted || performance.now() - start > share * maxRunMs;
    let againInMs: number | void = retryMs;
    try {
      againInMs = await withTimeout(maxRunMs + overrunMs, handle({ isOver }));
    } catch (err) {
      const isLeftToNextRun = isDatabaseUnavailable(err) || err instanceof BusyError;
      if (!isLeftToNextRun || whenUnavailable === undefined) throw err;
      log.warn({ err }, whenUnavailable);
    } finally {
      if (againInMs !== undefined && againInMs < everyMs) plan(name, againInMs);
    }
  }

  async function run(name: PeriodicJobName): Promise<void> {
    const handle = handlers[name];
    // A job that only a later release knows: one of its workers takes it at a following period.
    if (!handle) return;
    const isRunning = running.has(name);
    running.set(name, isRunning);
    if (isRunning) return;
    try {
      do {
        running.set(name, false);
        await runOnce(name, handle);
      } while (running.get(name) && !closing.aborted);
    } finally {
      running.delete(name);
    }
  }

  return {
    async handle(_data, name) {
      if (name !== changesJob) return run(name as PeriodicJobName);
      for (const [job, { afterChanges }] of Object.entries<PeriodicJob>(periodicJobs))
        if (afterChanges) wake(job as PeriodicJobName);
    },
    wake,
    async settled() {
      await Promise.all(ownRuns);
    },
  };
}
