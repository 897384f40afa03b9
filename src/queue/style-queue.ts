import { Type } from '../schema.ts';
import { defineQueue } from './queue-definition.ts';

/** Gives codes the style that their owners have chosen. What waits is in the database, not in the jobs. */
export const styleQueue = defineQueue({
  name: 'styles',
  jobName: 'apply',
  description: 'Styles that owners apply to many codes',
  contract: Type.Object({}),
  concurrency: 1,
  schedule: { every: 2_000, data: {} },
  retries: { attempts: 1, delayMs: () => 1_000 },
  retention: { removeOnComplete: true, removeOnFail: { count: 10 } },
  items: { noun: 'run', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'codes get the style that their owner chose later',
    failed: 'codes get the style that their owner chose by the next run',
    noWorker: 'codes do not get the style that their owner chose until one is',
  },
});
