import { Type } from '../schema.ts';
import { defineQueue } from './queue-definition.ts';

/** Looks for events that wait, and calls the endpoints. What waits is in the database, not in the jobs. */
export const webhookQueue = defineQueue({
  name: 'webhooks',
  jobName: 'deliver',
  description: 'Calls of webhook endpoints',
  contract: Type.Object({}),
  concurrency: 1,
  schedule: { every: 1_000, data: {} },
  retries: { attempts: 1, delayMs: () => 1_000 },
  retention: { removeOnComplete: true, removeOnFail: { count: 10 } },
  items: { noun: 'run', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'webhook endpoints are called later',
    failed: 'webhook endpoints are called by the next run',
    noWorker: 'webhook endpoints are not called until one is',
  },
});
