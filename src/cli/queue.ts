import { Command } from 'commander';
import type { Queue } from 'bullmq';
import { pluralize } from '../doctor/format.ts';
import type { ScanJob } from '../queue/scan-jobs.ts';
import { createLog } from '../telemetry/log.ts';
import { printMessage, printResult } from './output.ts';
import { createProgressBar } from './progress-bar.ts';
import { withDatabase } from './with-database.ts';

const maxReasonLength = 500;

export function queueCommand(): Command {
  const queue = new Command('queue').description('Failed jobs: those that the workers have given up on');
  queue
    .command('failed')
    .description('List failed jobs: id, time of failure, number of scans, number of attempts, reason')
    .action(() =>
      withQueue(async (jobs) => {
        const { failedJobs } = await import('../queue/failed-jobs.ts');
        let failed = 0;
        let scans = 0;
        for await (const { id = '', finishedOn, data, attemptsMade, failedReason } of failedJobs(jobs)) {
          const failedAt = finishedOn === undefined ? 'unknown' : new Date(finishedOn).toISOString();
          const reason = (failedReason ?? '').slice(0, maxReasonLength).replaceAll(/\s+/g, ' ');
          printResult(
            [
              id,
              failedAt,
              pluralize(data.scans.length, 'scan'),
              pluralize(attemptsMade, 'attempt'),
              reason,
            ].join('\t'),
          );
          failed += 1;
          scans += data.scans.length;
        }
        printMessage(
          failed === 0
            ? 'There are no failed jobs.'
            : `${pluralize(failed, 'failed job')} with ${pluralize(scans, 'scan')}. \`qrelay queue retry\` puts them back into the queue.`,
        );
      }),
    );
  queue
    .command('retry')
    .description('Put all failed jobs back into the queue with a fresh number of attempts')
    .action(() =>
      withQueue(async (jobs) => {
        const { retryFailedJobs } = await import('../queue/failed-jobs.ts');
        const total = await jobs.getFailedCount();
        if (total === 0) return printMessage('There are no failed jobs.');
        const bar = createProgressBar('job');
        bar.start(total, 0);
        let retried = 0;
        try {
          await retryFailedJobs(jobs, () => {
            retried += 1;
            bar.increment();
          });
        } finally {
          bar.stop();
        }
        printMessage(`${pluralize(retried, 'job')} ${retried === 1 ? 'is' : 'are'} back in the queue.`);
      }),
    );
  return queue;
}

function withQueue(work: (queue: Queue<ScanJob>) => Promise<void>): Promise<void> {
  return withDatabase(async ({ url, config }) => {
    // Imported here, because BullMQ is slow to load and most commands do not need it.
    const { connectToQueue } = await import('../queue/connection.ts');
    const { eventuallyReady } = await import('../queue/ready.ts');
    const place = { databaseUrl: url, redisUrl: config.redisUrl };
    const connection = connectToQueue(place, createLog('cli', 'silent'), () => undefined);
    try {
      await eventuallyReady(connection);
      await work(connection.present());
    } finally {
      await connection.close();
    }
  });
}
