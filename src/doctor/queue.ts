import { SchemaMigrationRequiredError } from 'bullmq';
import { lookAtQueue, type QueueSight } from '../queue/inspect-queue.ts';
import type { QueuePlace } from '../queue/connection.ts';
import { countDeadScans } from '../scans/dead-scans.ts';
import { type Finding, findingsOn, StoppedBy } from './finding.ts';
import { count, timeInWords } from './in-words.ts';
import { lookInto } from './inspect.ts';
import { migrateFirst } from './postgres.ts';

const { ok, warning, failure } = findingsOn('queue');

const lagToWarnMs = 60_000;
const lagToFailMs = 15 * 60_000;
const startAWorker =
  'Start one with the same DATABASE_URL and REDIS_URL: `node dist/workers/main.js` (`npm start` brings its own).';

export async function examineQueue(place: QueuePlace): Promise<Finding[]> {
  const sight = await lookAtQueue(place).catch((error: unknown) => {
    if (!(error instanceof SchemaMigrationRequiredError)) throw error;
    throw new StoppedBy(failure("The queue's own tables are not there.", migrateFirst));
  });
  const dead = await lookInto(place.databaseUrl, countDeadScans);
  return [...judgeQueue(sight), judgeDeadScans(dead)];
}

export function judgeQueue({ jobs, oldestWaitingMs, workers }: QueueSight): Finding[] {
  const pending = jobs.waiting + jobs.active + jobs.delayed;
  return [judgeLag(pending, oldestWaitingMs), judgeWorkers(workers, pending), judgeFailed(jobs.failed)];
}

function judgeLag(pending: number, lagMs: number): Finding {
  if (pending === 0) return ok('No job waits.');
  const sentence = `${count(pending, 'job')} not done, the oldest ${timeInWords(lagMs)} old`;
  if (lagMs <= lagToWarnMs) return ok(`${sentence}.`);
  const tell = lagMs > lagToFailMs ? failure : warning;
  return tell(
    `${sentence}: analytics are that far behind.`,
    'Start more workers; where they do not help, look into their log.',
  );
}

function judgeWorkers(workers: number, pending: number): Finding {
  if (workers > 0) return ok(`${count(workers, 'worker')} connected.`);
  return pending > 0
    ? failure('No worker is connected, and jobs wait.', startAWorker)
    : warning('No worker is connected: scans will wait.', startAWorker);
}

function judgeFailed(failed: number): Finding {
  if (failed === 0) return ok('No job was given up.');
  return warning(
    `${count(failed, 'job')} given up: the scans in them are kept, and not counted.`,
    'See why with `qrelay queue failed` (or at /admin/queues), mend it, then `qrelay queue retry`.',
  );
}

function judgeDeadScans(dead: number): Finding {
  if (dead === 0) return ok('No scan was refused by the database.');
  return warning(
    `${count(dead, 'scan')} refused by the database, and put aside.`,
    'See why with `qrelay scans dead`, mend it, then `qrelay scans retry`.',
  );
}
