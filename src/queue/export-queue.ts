import type { Static } from 'typebox';
import { Type } from '../schema.ts';
import { defineQueue } from './queue-definition.ts';

const contract = Type.Object({
  userId: Type.String({ maxLength: 36 }),
  requestId: Type.String({ maxLength: 36 }),
});

export type ExportJob = Static<typeof contract>;

/** Builds the archive with all data of an account, which its owner has asked for. */
export const exportQueue = defineQueue({
  name: 'exports',
  jobName: 'build',
  description: 'Exports of accounts that their owners asked for',
  contract,
  concurrency: 1,
  retries: { attempts: 5, delayMs: (attempt) => 5_000 * 2 ** Math.min(attempt, 6) },
  retention: { removeOnComplete: true, removeOnFail: { count: 100 } },
  items: { noun: 'export', count: () => 1 },
  visibleData: () => ({}),
  consequences: {
    late: 'users wait for the export of their data',
    failed: 'they are built again within half an hour, for a day; then their users are told',
    noWorker: 'no exports are built until one is',
  },
});
