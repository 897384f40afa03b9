import { Type } from '../schema.ts';
import { defineQueue } from './queue-definition.ts';

/** Looks for what owners are told of, and sends the mails. What waits is in the database, not in the jobs. */
export const noticeQueue = defineQueue({
  name: 'notices',
  jobName: 'send',
  description: 'Mails to owners about their codes',
  contract: Type.Object({}),
  concurrency: 1,
  schedule: { every: 10 * 60_000, data: {} },
  retries: { attempts: 1, delayMs: () => 1_000 },
  retention: { removeOnComplete: true, removeOnFail: { count: 10 } },
  items: { noun: 'run', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'owners are told later of what happens to their codes',
    failed: 'owners are told by the next run',
    noWorker: 'owners are told of nothing until one is',
  },
});
