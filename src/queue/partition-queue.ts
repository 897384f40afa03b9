import { Type } from '../schema.ts';
import { hourMs } from '../runtime/units.ts';
import { defineQueue } from './queue-definition.ts';

/** Creates the partitions of the months ahead, and drops those that are past their retention. */
export const partitionQueue = defineQueue({
  name: 'partitions',
  jobName: 'maintain',
  description: 'Maintenance of the monthly partitions of scans',
  contract: Type.Object({}),
  concurrency: 1,
  schedule: { every: hourMs, data: {} },
  retries: { attempts: 10, delayMs: (attempt) => Math.min(60_000, 1_000 * 2 ** Math.min(attempt, 8)) },
  retention: { removeOnComplete: true, removeOnFail: { count: 10 } },
  items: { noun: 'run', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'partitions are created later; months ahead exist already',
    failed: 'partitions may be missing in a few months',
    noWorker: 'partitions are created only by `qrelay migrate` until one is',
  },
});
