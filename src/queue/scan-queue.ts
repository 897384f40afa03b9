import { spreadTag } from './hash-slot.ts';
import { defineQueue } from './queue-definition.ts';
import { countScans, listScans, scanJobContract } from './scan-jobs.ts';

const mostCodesShown = 20;

/** Scans on their way from the redirect into the database, many to a job. */
export const scanQueue = defineQueue({
  name: 'scans',
  jobName: 'record',
  hashTag: spreadTag('scans', 1),
  description: 'Scans waiting to be recorded',
  contract: scanJobContract,
  // Many, because the worker merges the jobs that run at the same time into one statement.
  concurrency: 32,
  gatherMs: 20,
  hasOwnPool: true,
  retries: {
    attempts: 20,
    delayMs: (attempt) => Math.min(2_000, 250 * 2 ** Math.min(attempt, 8)),
  },
  // Failed jobs are kept until an operator retries them: each holds scans that are nowhere else.
  retention: { removeOnComplete: true, removeOnFail: false },
  items: { noun: 'scan', count: countScans },
  // The rest is about the people who scanned.
  visibleData(data) {
    const codes = [...new Set(listScans(data).map(([, codeId]) => codeId))];
    return { scans: countScans(data), codes: codes.slice(0, mostCodesShown) };
  },
  consequences: {
    late: 'analytics are delayed by as much',
    failed: 'their scans are kept but not counted',
    noWorker: 'scans are not recorded until one is',
  },
});
