import { hourMs } from '../runtime/units.ts';
import { Type } from '../schema.ts';
import { defineQueue, type QueueDefinition } from './queue-definition.ts';

const minuteMs = 60_000;
/** Runs that follow changes are at least this far apart. */
export const wakeEveryMs = 1_000;

export interface PeriodicJob {
  everyMs: number;
  /** When a run stops taking more work. The next run goes on with what is left. */
  maxRunMs: number;
  /** 1 if not set: the next run tries again. */
  attempts?: number;
  /** Runs also within a second of a change that a user made. */
  afterChanges?: boolean;
  /** Logged when the database was away. Put back, the runs of an outage would pile up. */
  whenUnavailable?: string;
}

/**
 * THE list of what is done again and again, once for all worker processes. What has to be done is in the database, not in
 * the jobs; workers/handlers.ts has a handler for each. The names are stored in the queue.
 *
 * An idle service is to use next to nothing, so the periods are long. What follows a change does not wait for them: see
 * `afterChanges`. Its period matters only after a process was killed, or when the command line made the change.
 */
export const periodicJobs = {
  /** Calls webhook endpoints that have events waiting. */
  webhooks: {
    everyMs: 30_000,
    maxRunMs: 10_000,
    afterChanges: true,
    whenUnavailable: 'webhook endpoints were not called',
  },
  /** Gives codes the style that their owners have chosen. */
  styles: {
    everyMs: minuteMs,
    maxRunMs: minuteMs,
    afterChanges: true,
    whenUnavailable: 'styles could not be applied to codes',
  },
  /** Purges what deleted codes and accounts leave behind. */
  purge: { everyMs: minuteMs, maxRunMs: 8_000, attempts: 3, afterChanges: true },
  /** Deletes what has expired, and does again what a killed worker has not finished. */
  housekeeping: { everyMs: 10 * minuteMs, maxRunMs: minuteMs, attempts: 3 },
  /** Looks for what owners are told of by mail, and sends the mails. */
  notices: {
    everyMs: 10 * minuteMs,
    maxRunMs: 8 * minuteMs,
    whenUnavailable: 'owners could not be told of their codes',
  },
  /** Checks, once a day for each code that is scanned, whether the address behind it answers. */
  destinations: {
    everyMs: hourMs,
    maxRunMs: 55 * minuteMs,
    whenUnavailable: 'the addresses that codes lead to could not be checked',
  },
  /** Creates the partitions of the months ahead, and drops those that are past their retention. */
  partitions: { everyMs: hourMs, maxRunMs: minuteMs, attempts: 10 },
} as const satisfies Record<string, PeriodicJob>;

export type PeriodicJobName = keyof typeof periodicJobs;

/** One run of a periodic job. */
export interface PeriodicRun {
  /** Whether to take no more work: the time is up, or the process shuts down. `share`: of the time, for one part of the run. */
  isOver(share?: number): boolean;
}

/**
 * Must be safe to repeat, and to run in several processes at once: rows are claimed before work on them begins. May resolve to
 * the milliseconds after which there is more to do, if that is before the next period.
 */
export type PeriodicHandler = (run: PeriodicRun) => Promise<number | void>;

const entries = Object.entries<PeriodicJob>(periodicJobs);

export const periodicQueue = defineQueue({
  name: 'periodic',
  jobName: 'run',
  description: 'What is done again and again: webhooks, notices, styles, checks and cleaning up',
  contract: Type.Object({}),
  // One of each: a run that is not finished must not keep others waiting.
  concurrency: entries.length,
  schedules: Object.fromEntries(
    entries.map(([name, { everyMs, attempts = 1 }]) => [name, { every: everyMs, data: {}, attempts }]),
  ),
  retries: { attempts: 1, delayMs: (attempt) => Math.min(minuteMs, 1_000 * 2 ** Math.min(attempt, 8)) },
  retention: { removeOnComplete: true, removeOnFail: { count: 50 } },
  items: { noun: 'run', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'webhooks, notices and cleaning up are late',
    failed: 'what they left undone is done by the next run',
    noWorker: 'no webhooks and notices are sent, and nothing is cleaned up, until one is',
  },
});

/** A job that web processes add after changes. What follows them is run. */
export const changesJob = 'changes';
const changesQueue = { ...periodicQueue, jobName: changesJob };

/**
 * To be called after each change. Adds a job at once, and for all changes of the following second another one. Without it, as
 * when the queue is down, what follows is done at its next period.
 */
export function createWakeUps(add: (queue: typeof changesQueue, data: object) => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;

  function wake(): void {
    isDue = false;
    void add(changesQueue, {}).catch(() => undefined);
    timer = setTimeout(() => {
      timer = undefined;
      if (isDue) wake();
    }, wakeEveryMs).unref();
  }

  return () => {
    if (timer) isDue = true;
    else wake();
  };
}

/** Each periodic job had a queue of its own in release 0.2, with the same name. */
export const retiredQueues: readonly QueueDefinition[] = [
  'purge',
  'partitions',
  'housekeeping',
  'webhooks',
  'notices',
  'destinations',
  'styles',
].map((name) => ({ ...(periodicQueue as QueueDefinition), name, schedules: {} }));
