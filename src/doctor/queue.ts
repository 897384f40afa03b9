import { loadSecrets } from '../accounts/secrets.ts';
import { findMissingCodes } from '../codes/codes.ts';
import { type QueueStatus, readQueueStatuses, sampleScanJobs } from '../queue/queue-access.ts';
import { type ScanJob, canOpen, listScans } from '../queue/scan-jobs.ts';
import { OtherQueueError, nameOf, readQueuesInUse, requireQueueInUse } from '../queue/queue-agreement.ts';
import { type QueuePlace, isOnRedis } from '../queue/queue-connection.ts';
import type { QueueDefinition } from '../queue/queue-definition.ts';
import { allQueues } from '../queue/queues.ts';
import { countDeadLetters } from '../scans/dead-letters.ts';
import type { Database } from '../store/database.ts';
import { checkNewestCounters } from './backup.ts';
import { withConnection } from './connection.ts';
import { CheckAborted, type Finding, findingsFor, type Found } from './finding.ts';
import { formatDuration, pluralize } from './format.ts';
import { migrateFirst } from './postgres.ts';
import { SchemaMigrationRequiredError } from 'bullmq';

const { ok, warning, failure } = findingsFor('queue');

const lagToWarnMs = 60_000;
const lagToFailMs = 15 * 60_000;
const startWorker =
  'Start one with the same DATABASE_URL and REDIS_URL: `node dist/workers/main.js` (`npm start` includes one).';

export async function checkQueue(place: QueuePlace): Promise<Found> {
  const statuses = await readQueueStatuses(place, allQueues).catch((error: unknown) => {
    if (!(error instanceof SchemaMigrationRequiredError)) throw error;
    throw new CheckAborted(failure('The tables of the queue do not exist.', migrateFirst));
  });
  return withConnection(place.databaseUrl, async (db) => [
    await checkAgreement(db, place),
    statuses.map(({ definition, ...status }) => assessQueue(definition, status)),
    assessDeadScans(await countDeadLetters(db)),
    await checkNewestCounters(db),
  ]);
}

/** Whether the processes of this database use the queue that is configured here. */
export async function checkAgreement(db: Database, place: QueuePlace): Promise<Found> {
  const { current, previous } = await readQueuesInUse(db);
  const other = await requireQueueInUse(db, place).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof OtherQueueError) return error;
      throw error;
    },
  );
  return [
    other
      ? failure(other.difference, OtherQueueError.remedy)
      : current && ok(`The processes of this database have their queue on ${nameOf(current)}.`),
    previous &&
      warning(
        `The move from ${nameOf(previous)} is not finished: processes may still use that queue.`,
        'When no process uses it any more, run `qrelay queue finish` with its setting.',
      ),
  ];
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

/** Jobs that are read of each queue after a restore. */
const sampledJobs = 200;

/** Whether the jobs that wait fit the database: after a restore, either may be older than the other. */
export async function checkJobs(
  db: Database,
  place: QueuePlace,
  rootSecrets: readonly string[],
): Promise<Found> {
  const { total, jobs } = await sampleScanJobs(place, sampledJobs);
  const waiting = `${pluralize(total, 'job')} of scans ${total === 1 ? 'waits' : 'wait'}`;
  const { openingKeys } = await loadSecrets(db, rootSecrets);
  const sealed = jobs.filter(({ sealedAddresses }) => !canOpen(sealedAddresses, openingKeys)).length;
  return [
    isOnRedis(place)
      ? ok(`${waiting} in Redis; a backup of PostgreSQL does not contain them.`)
      : ok(`${waiting} in PostgreSQL, and a backup of it contains them.`),
    sealed > 0 &&
      failure(
        `${sealed} of ${pluralize(jobs.length, 'job')} in a sample cannot be decrypted with the secrets here: their scans wait, and fail after a day.`,
        'Add the secret that was used before to the end of QRELAY_SECRET, restart the workers, and run `qrelay queue retry`.',
      ),
    await checkCodes(db, jobs),
  ];
}

async function checkCodes(db: Database, jobs: ScanJob[]): Promise<Finding | undefined> {
  const codeIds = jobs.flatMap((job) => listScans(job).map(([, codeId]) => codeId));
  const missing = await findMissingCodes(db, [...new Set(codeIds)]);
  if (missing.size === 0) return undefined;
  const scans = codeIds.filter((codeId) => missing.has(codeId)).length;
  return warning(
    `${scans} of ${pluralize(codeIds.length, 'scan')} in a sample of the jobs belong to ${pluralize(missing.size, 'code')} that the database does not have: workers discard them, like scans of deleted codes.`,
    'If the codes are missing because of a restore, stop the workers and recover to a later time, if there is one.',
  );
}
