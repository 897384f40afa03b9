import type { Job } from 'bullmq';
import { Command } from 'commander';
import { loadSecrets } from '../accounts/secrets.ts';
import { pluralize } from '../doctor/format.ts';
import type { OpenedQueue } from '../queue/queue-access.ts';
import { isJobOf, type QueueDefinition } from '../queue/queue-definition.ts';
import { printMessage, printResult } from './output.ts';
import { createProgressBar } from './progress-bar.ts';
import { changeAndRecord, type CommandResources, withDatabase } from './with-database.ts';

const maxReasonLength = 500;

/** `onlyQueues`: by default the command works on all queues there are. */
export function queueCommand(onlyQueues?: readonly QueueDefinition[]): Command {
  const command = new Command('queue').description('Jobs that failed for good, and where the queue is');
  command
    .command('failed')
    .description('List them: queue, job, when it failed, what it holds, attempts, reason')
    .action(() =>
      withAllQueues(onlyQueues, async (queues) => {
        const { failedJobs } = await import('../queue/queue-access.ts');
        let anyFailed = false;
        for (const { definition, queue } of queues) {
          let failed = 0;
          let items = 0;
          for await (const job of failedJobs(queue)) {
            printResult(describeFailed(definition, job));
            failed += 1;
            items += itemsOf(definition, job.data);
          }
          if (failed === 0) continue;
          anyFailed = true;
          printMessage(
            `${definition.name}: ${pluralize(failed, 'failed job')} with ${pluralize(items, definition.items.noun)}.`,
          );
        }
        printMessage(
          anyFailed ? 'Put them back into the queue with `qrelay queue retry`.' : 'There are no failed jobs.',
        );
      }),
    );
  command
    .command('retry')
    .description('Put all failed jobs back into the queue with a fresh number of attempts')
    .option(
      '--without-addresses',
      'for a root secret that is lost: record scans that cannot be decrypted without their place',
    )
    .action(({ withoutAddresses }: { withoutAddresses?: boolean }) =>
      withAllQueues(onlyQueues, async (queues, { db, config }) => {
        const { dropUnreadableAddresses, retryFailedJobs } = await import('../queue/queue-access.ts');
        if (withoutAddresses) {
          const secrets = await loadSecrets(db, config.rootSecrets);
          let dropped = 0;
          for (const { queue } of queues) dropped += await dropUnreadableAddresses(queue, secrets);
          printMessage(`${pluralize(dropped, 'job')} lost the addresses that could not be decrypted.`);
        }
        const failed = await Promise.all(queues.map(({ queue }) => queue.getFailedCount()));
        const total = failed.reduce((sum, jobs) => sum + jobs, 0);
        if (total === 0) return printMessage('There are no failed jobs.');
        const bar = createProgressBar('job');
        bar.start(total, 0);
        let retried = 0;
        try {
          for (const [index, { queue }] of queues.entries()) {
            if (failed[index] === 0) continue;
            const entry = { action: 'queue.retry', target: queue.name, note: 'All failed jobs' } as const;
            await changeAndRecord(db, entry, async () => undefined);
            await retryFailedJobs(queue, () => {
              retried += 1;
              bar.increment();
            });
          }
        } finally {
          bar.stop();
        }
        printMessage(`${pluralize(retried, 'job')} ${retried === 1 ? 'is' : 'are'} back in the queue.`);
      }),
    );
  command
    .command('use')
    .description(
      'Move to the queue that REDIS_URL names here, or to PostgreSQL without it: run this before the processes are restarted with it',
    )
    .action(() => withDatabase(useQueue));
  command
    .command('finish')
    .description('End the move: run this with the earlier REDIS_URL, when no process uses it any more')
    .option('--lost', 'the earlier queue does not exist any more, and its jobs are lost')
    .action(({ lost = false }: { lost?: boolean }) =>
      withDatabase((resources) => finishMove(resources, lost)),
    );
  return command;
}

async function useQueue({ db, url, config }: CommandResources): Promise<void> {
  const { nameOf, startMove } = await import('../queue/queue-agreement.ts');
  const { migrateQueue } = await import('../queue/postgres-engine.ts');
  const { queuePlace } = await import('../queue/queue-connection.ts');
  const place = queuePlace(config, url);
  await migrateQueue(place);
  const { current, previous } = await startMove(db, place, (queue, change) =>
    changeAndRecord(db, { action: 'queue.move', target: nameOf(queue) }, change),
  );
  if (current) printMessage(`The queue is on ${nameOf(current)}.`);
  if (previous)
    printMessage(
      `Jobs on ${nameOf(previous)} are not copied. Restart workers and web processes with the new setting, and let one worker run with the earlier one until its queue is empty. Then run \`qrelay queue finish\` with the earlier setting.`,
    );
}

async function finishMove({ db, url, config }: CommandResources, isLost: boolean): Promise<void> {
  const { nameOf, endMove } = await import('../queue/queue-agreement.ts');
  const { queuePlace } = await import('../queue/queue-connection.ts');
  const { readQueueStatuses } = await import('../queue/queue-access.ts');
  const { allQueues } = await import('../queue/queues.ts');
  const place = queuePlace(config, url);
  async function countJobs(): Promise<number> {
    // What a schedule adds is done on the other queue, which has the same schedules.
    const statuses = await readQueueStatuses(
      place,
      allQueues.filter(({ schedules }) => !schedules),
    );
    return statuses.reduce(
      (sum, { jobs }) => sum + jobs.waiting + jobs.active + jobs.delayed + jobs.failed,
      0,
    );
  }
  const ended = await endMove(db, isLost ? undefined : { place, countJobs }, (queue, change) =>
    changeAndRecord(db, { action: 'queue.move', target: nameOf(queue), note: 'Finished' }, change),
  );
  printMessage(ended ? `${nameOf(ended)} is not used any more.` : 'There is no move to finish.');
}

function describeFailed(
  definition: QueueDefinition,
  { id = '', finishedOn, data, attemptsMade, failedReason }: Job<unknown>,
): string {
  return [
    definition.name,
    id,
    finishedOn === undefined ? 'unknown' : new Date(finishedOn).toISOString(),
    pluralize(itemsOf(definition, data), definition.items.noun),
    pluralize(attemptsMade, 'attempt'),
    (failedReason ?? '').slice(0, maxReasonLength).replaceAll(/\s+/g, ' '),
  ].join('\t');
}

/** A job may have failed because its data does not match the contract. */
function itemsOf(definition: QueueDefinition, data: unknown): number {
  return isJobOf(definition, data) ? definition.items.count(data) : 0;
}

function withAllQueues(
  onlyQueues: readonly QueueDefinition[] | undefined,
  work: (queues: OpenedQueue[], resources: CommandResources) => Promise<void>,
): Promise<void> {
  return withDatabase(async (resources) => {
    const { url, config } = resources;
    // BullMQ takes a while to load, and most commands do not need it.
    const { requireQueueInUse } = await import('../queue/queue-agreement.ts');
    const { withQueues } = await import('../queue/queue-access.ts');
    const { queuePlace } = await import('../queue/queue-connection.ts');
    const { allQueues } = await import('../queue/queues.ts');
    const place = queuePlace(config, url);
    await requireQueueInUse(resources.db, place);
    await withQueues(place, onlyQueues ?? allQueues, (queues) => work(queues, resources));
  });
}
