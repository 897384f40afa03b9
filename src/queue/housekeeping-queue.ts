import { Type } from '../schema.ts';
import { defineQueue } from './queue-definition.ts';

/**
 * Deletes what has expired: sessions, rate limit windows, secrets and links that were never used, ids of sent mails,
 * responses of API requests with an Idempotency-Key, process reports, exports, old notices, deliveries of webhooks, results of styles. Writes `code.expiring`.
 */
export const housekeepingQueue = defineQueue({
  name: 'housekeeping',
  jobName: 'clean-up',
  description: 'Deletion of expired sessions, rate limit windows and one-time secrets',
  contract: Type.Object({}),
  concurrency: 1,
  schedule: { every: 10 * 60_000, data: {} },
  retries: { attempts: 3, delayMs: () => 5_000 },
  retention: { removeOnComplete: true, removeOnFail: { count: 10 } },
  items: { noun: 'run', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'expired sessions and rate limit windows take up space for longer',
    failed: 'expired sessions and rate limit windows take up space until the next run',
    noWorker: 'expired sessions and rate limit windows take up space until one is',
  },
});
