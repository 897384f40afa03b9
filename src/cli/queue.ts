import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import type { Queue } from 'bullmq';
import { count } from '../doctor/in-words.ts';
import type { ScanJob } from '../queue/scan-jobs.ts';
import { createLog } from '../telemetry/log.ts';
import { print, say } from './say.ts';
import { withDatabase } from './with-database.ts';

const longestReason = 500;

export function queueCommand(): Command {
  const queue = new Command('queue').description('Jobs that the workers gave up');
  queue
    .command('failed')
    .description('List them: job, when it failed, how many scans and attempts, reason')
    .action(() =>
      withQueue(async (jobs) => {
        const { failedJobs } = await import('../queue/failed-jobs.ts');
        let failed = 0;
        let scans = 0;
        for await (const { id = '', finishedOn, data, attemptsMade, failedReason } of failedJobs(jobs)) {
          const failedAt = finishedOn === undefined ? 'unknown' : new Date(finishedOn).toISOString();
          const reason = (failedReason ?? '').slice(0, longestReason).replaceAll(/\s+/g, ' ');
          print(
            [id, failedAt, count(data.scans.length, 'scan'), count(attemptsMade, 'attempt'), reason].join(
              '\t',
            ),
          );
          failed += 1;
          scans += data.scans.length;
        }
        say(
          failed === 0
            ? 'There are no failed jobs.'
            : `${count(failed, 'failed job')} with ${count(scans, 'scan')}. \`qrelay queue retry\` puts them back into the queue.`,
        );
      }),
    );
  queue
    .command('retry')
    .description('Put them back into the queue, with all their attempts; what fails again is listed again')
    .action(() =>
      withQueue(async (jobs) => {
        const { retryFailedJobs } = await import('../queue/failed-jobs.ts');
        const total = await jobs.getFailedCount();
        if (total === 0) return say('There are no failed jobs.');
        const bar = new SingleBar({
          format: '{bar} {percentage}% | job {value} of {total} | {eta_formatted} left',
          noTTYOutput: true,
          notTTYSchedule: 5_000,
        });
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
        say(`${count(retried, 'job')} ${retried === 1 ? 'is' : 'are'} back in the queue.`);
      }),
    );
  return queue;
}

function withQueue(work: (queue: Queue<ScanJob>) => Promise<void>): Promise<void> {
  return withDatabase(async ({ url, config }) => {
    // BullMQ takes a while to load, and most commands can do without it.
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
