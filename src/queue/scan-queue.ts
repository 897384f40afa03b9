import { spreadTag } from './hash-slot.ts';
import { defineQueue } from './queue-definition.ts';
import { type ScanJob, scanJobContract } from './scan-jobs.ts';

const mostCodesShown = 20;

/** Scans on their way from the redirect into the database, many to a job. */
export const scanQueue = defineQueue({
  name: 'scans',
  jobName: 'record',
  hashTag: spreadTag('scans', 1),
  description: 'Scans waiting to be recorded',
  contract: scanJobContract,
  concurrency: 4,
  retries: {
    attempts: 20,
    delayMs: (attempt) => Math.min(2_000, 250 * 2 ** Math.min(attempt, 8)),
  },
  // Failed jobs are kept until an operator retries them: each holds scans that are nowhere else.
  retention: { removeOnComplete: true, removeOnFail: false },
  items: { noun: 'scan', count: (job) => job.scans.length },
  // The rest is about the people who scanned.
  visibleData(data) {
    const { scans: given } = (data ?? {}) as Partial<ScanJob>;
    const scans = Array.isArray(given) ? given : [];
    const codes = [...new Set(scans.map(([, codeId]) => codeId))];
    return { scans: scans.length, codes: codes.slice(0, mostCodesShown) };
  },
  consequences: {
    late: 'analytics are delayed by as much',
    failed: 'their scans are kept but not counted',
  },
});
