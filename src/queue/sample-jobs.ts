import { createLog } from '../telemetry/log.ts';
import { isJobOf } from './job-contract.ts';
import { connectToQueues, type QueuePlace } from './queue-connection.ts';
import { queuesInUse } from './queues-in-use.ts';
import type { ScanJob } from './scan-jobs.ts';
import { scanQueue } from './scan-queue.ts';
import { waitUntilReady } from './wait-until-ready.ts';

export interface JobSample {
  /** Jobs of scans that are not done, failed ones included. */
  total: number;
  /** The oldest of them. */
  jobs: ScanJob[];
}

/** Reads at most `limit` jobs of each queue of scans, and changes nothing. */
export async function sampleScanJobs(place: QueuePlace, limit: number): Promise<JobSample> {
  const connection = connectToQueues(place, createLog('cli', 'silent'));
  try {
    await waitUntilReady(connection);
    const sample: JobSample = { total: 0, jobs: [] };
    for (const definition of await queuesInUse([scanQueue], place, connection.hasJobs)) {
      const queue = connection.queue(definition);
      const states = ['wait', 'active', 'delayed', 'failed'] as const;
      const counts = await queue.getJobCounts(...states);
      sample.total += states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
      const jobs = await queue.getJobs([...states], 0, limit - 1, true);
      // One that is done meanwhile is missing from its page.
      for (const job of jobs) if (job && isJobOf(scanQueue, job.data)) sample.jobs.push(job.data);
    }
    return sample;
  } finally {
    await connection.close();
  }
}
