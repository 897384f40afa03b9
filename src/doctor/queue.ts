import { SchemaMigrationRequiredError } from 'bullmq';
import { nameOf, OtherQueueError, readQueuesInUse, requireQueueInUse } from '../queue/queue-agreement.ts';
import type { QueuePlace } from '../queue/queue-connection.ts';
import type { QueueDefinition } from '../queue/queue-definition.ts';
import { type QueueStatus, readQueueStatuses } from '../queue/queue-depth.ts';
import { allQueues } from '../queue/queues.ts';
import type { Database } from '../store/database.ts';
import { countDeadLetters } from '../scans/dead-letters.ts';
import { checkCounters } from './counters.ts';
import { type Finding, findingsFor, CheckAborted } from './finding.ts';
import { pluralize, formatDuration } from './format.ts';
import { withConnection } from './with-connection.ts';
import { migrateFirst } from './postgres.ts';

const { ok, warning, failure } = findingsFor('queue');

const lagToWarnMs = 60_000;
const lagToFailMs = 15 * 60_000;
const startWorker =
  'Start one with the same DATABASE_URL and REDIS_URL: `node dist/workers/main.js` (`npm start` includes one).';

export async function checkQueue(place: QueuePlace, nowMs: () => number): Promise<Finding[]> {
  const statuses = await readQueueStatuses(place, allQueues).catch((error: unknown) => {
    if (!(error instanceof SchemaMigrationRequiredError)) throw error;
    throw new CheckAborted(failure('The tables of the queue do not exist.', migrateFirst));
  });
  const findings = statuses.flatMap(({ definition, ...status }) => assessQueue(definition, status));
  return withConnection(place.databaseUrl, async (db) => [
    ...(await checkAgreement(db, place)),
    ...findings,
    assessDeadScans(await countDeadLetters(db)),
    await checkCounters(db, nowMs()),
  ]);
}

/** Whether the processes of this database use the queue that is configured here. */
export async function checkAgreement(db: Database, place: QueuePlace): Promise<Finding[]> {
  const { current, previous } = await readQueuesInUse(db);
  const findings: Finding[] = [];
  try {
    await requireQueueInUse(db, place);
    if (current) findings.push(ok(`The processes of this database have their queue on ${nameOf(current)}.`));
  } catch (error) {
    if (!(error instanceof OtherQueueError)) throw error;
    findings.push(failure(error.difference, OtherQueueError.remedy));
  }
  if (previous)
    findings.push(
      warning(
        `The move from ${nameOf(previous)} is not finished: processes may still use that queue.`,
        'When no process uses it any more, run `qrelay queue finish` with its setting.',
      ),
    );
  return findings;
}

/** Each finding says which queue it is about. */
export function assessQueue(
  { name, consequences }: Pick<QueueDefinition, 'name' | 'consequences'>,
  { jobs, oldestWaitingMs, workers }: Omit<QueueStatus, 'queue' | 'definition'>,
): Finding[] {
  const pending = jobs.waiting + jobs.active + jobs.delayed;
  const findings = [
    assessLag(pending, oldestWaitingMs, consequences.late),
    assessWorkers(workers, pending, consequences.noWorker),
    assessFailed(jobs.failed, consequences.failed),
  ];
  return findings.map((finding) => ({ ...finding, finding: `${name}: ${finding.finding}` }));
}

function assessLag(pending: number, lagMs: number, consequence: string): Finding {
  if (pending === 0) return ok('No jobs are waiting.');
  const message = `${pluralize(pending, 'job')} pending, the oldest for ${formatDuration(lagMs)}`;
  if (lagMs <= lagToWarnMs) return ok(`${message}.`);
  const finding = lagMs > lagToFailMs ? failure : warning;
  return finding(
    `${message}: ${consequence}.`,
    'Start more workers. If that does not help, check their log.',
  );
}

function assessWorkers(workers: number, pending: number, consequence: string): Finding {
  if (workers > 0) return ok(`${pluralize(workers, 'worker')} connected.`);
  return pending > 0
    ? failure(`No worker is connected, and jobs are waiting: ${consequence}.`, startWorker)
    : warning(`No worker is connected: ${consequence}.`, startWorker);
}

function assessFailed(failed: number, consequence: string): Finding {
  if (failed === 0) return ok('No failed jobs.');
  return warning(
    `${pluralize(failed, 'failed job')}: ${consequence}.`,
    'Find the reason with `qrelay queue failed` or at /admin/queues, fix it, then run `qrelay queue retry`.',
  );
}

function assessDeadScans(dead: number): Finding {
  if (dead === 0) return ok('No dead scans.');
  return warning(
    `${pluralize(dead, 'dead scan')}: the database refused to record them.`,
    'Find the reason with `qrelay scans dead`, fix it, then run `qrelay scans retry`.',
  );
}
