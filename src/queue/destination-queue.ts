import { hourMs } from '../runtime/units.ts';
import { Type } from '../schema.ts';
import { defineQueue } from './queue-definition.ts';

/** Checks, once a day for each code that is scanned, whether the address behind it answers. */
export const destinationQueue = defineQueue({
  name: 'destinations',
  jobName: 'check',
  description: 'Checks of the addresses that codes lead to',
  contract: Type.Object({}),
  concurrency: 1,
  schedule: { every: hourMs, data: {} },
  retries: { attempts: 1, delayMs: () => 1_000 },
  retention: { removeOnComplete: true, removeOnFail: { count: 10 } },
  items: { noun: 'run', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'owners learn later that an address of a code does not work',
    failed: 'addresses of codes are checked by the next run',
    noWorker: 'addresses of codes are not checked until one is',
  },
});
