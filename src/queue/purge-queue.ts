import { Type } from '../schema.ts';
import { defineQueue } from './queue-definition.ts';

/** Purges what deleted codes and accounts leave behind. The list of deleted codes is in the database, not in the jobs. */
export const purgeQueue = defineQueue({
  name: 'purge',
  jobName: 'purge',
  description: 'Scans of deleted codes, waiting to be purged',
  contract: Type.Object({}),
  concurrency: 1,
  schedule: { every: 10_000, data: {} },
  retries: { attempts: 3, delayMs: () => 5_000 },
  retention: { removeOnComplete: true, removeOnFail: { count: 10 } },
  items: { noun: 'run', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'scans of deleted codes take up space for longer',
    failed: 'scans of deleted codes take up space until the next run',
    noWorker: 'scans of deleted codes take up space until one is',
  },
});
