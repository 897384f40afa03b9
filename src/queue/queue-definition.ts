import { Ajv, type ValidateFunction } from 'ajv';
import type { JobsOptions, RepeatOptions } from 'bullmq';
import type { Static, TSchema } from 'typebox';

/** Everything there is to know about a queue, except its handler: that is in workers/. */
export interface QueueDefinition<Data = unknown> {
  /** Part of every key and row of the queue: renaming it strands the jobs that wait. */
  readonly name: string;
  readonly jobName: string;
  /** Decides where in a Redis Cluster the queue lies; its name if not set. As permanent as the name. */
  readonly hashTag?: string;
  /** For operators, on the queue board. */
  readonly description: string;
  /** Jobs that one worker process runs at a time. */
  readonly concurrency: number;
  /** How long jobs gather after the queue was empty, where many small ones are cheaper together. Not at all if not set. */
  readonly gatherMs?: number;
  /** A job whose worker was killed is taken up again after one or two of these. Each look costs every worker a statement. */
  readonly stalledAfterMs?: number;
  /** With the queues in Postgres, its worker does not share connections with other queues. */
  readonly hasOwnPool?: boolean;
  readonly retries: Required<Pick<JobsOptions, 'attempts'>> & {
    /** The pause before attempt `attempt + 1`. */
    delayMs(attempt: number): number;
  };
  readonly retention: Required<Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'>>;
  /** Jobs that the queue itself adds again and again, once for all worker processes, by their names. */
  readonly schedules?: Readonly<Record<string, JobSchedule<Data>>>;
  /** The job's data. Releases overlap during an upgrade: only add optional fields. */
  readonly contract: TSchema;
  /** What a job holds, in numbers: "3 scans". */
  readonly items: { noun: string; count(data: Data): number };
  /** What operators may see of a job's data. */
  visibleData(data: Data): object;
  /** What `qrelay doctor` adds, after a colon, to "5 jobs pending", "2 failed jobs" and "No worker is connected". */
  readonly consequences: { late: string; failed: string; noWorker: string };
}

export interface JobSchedule<Data> extends Pick<RepeatOptions, 'every' | 'pattern' | 'tz'> {
  readonly data: Data;
  /** Instead of those of the queue. */
  readonly attempts?: number;
}

/** Takes the type of the jobs from their contract. */
export function defineQueue<Contract extends TSchema>(
  definition: QueueDefinition<Static<Contract>> & { readonly contract: Contract },
): QueueDefinition<Static<Contract>> {
  return definition;
}

const ajv = new Ajv();
const validators = new WeakMap<object, ValidateFunction>();

/** Whether a job's data matches the contract of its queue. */
export function isJobOf<Data>({ contract }: QueueDefinition<Data>, data: unknown): data is Data {
  let validate = validators.get(contract);
  if (!validate) {
    validate = ajv.compile(contract);
    validators.set(contract, validate);
  }
  return validate(data);
}
