import { SchemaMigrationRequiredError } from 'bullmq';
import type { QueuePlace } from '../queue/queue-connection.ts';
import type { QueueDefinition } from '../queue/queue-definition.ts';
import { type QueueStatus, readQueueStatuses } from '../queue/queue-status.ts';
import { allQueues } from '../queue/queues.ts';
import { countDeadLetters } from '../scans/dead-letters.ts';
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
  const statuses = await readQueueStatuses(place, allQueues).catch((error: unknown) => {
    if (!(error instanceof SchemaMigrationRequiredError)) throw error;
    throw new StoppedBy(failure("The queue's own tables are not there.", migrateFirst));
  });
  const dead = await lookInto(place.databaseUrl, countDeadLetters);
  const findings = allQueues.flatMap((queue) => {
    const status = statuses.find(({ queue: name }) => name === queue.name);
    return status ? judgeQueue(queue, status).map((finding) => named(queue, finding)) : [];
  });
  return [...findings, judgeDeadScans(dead)];
}

/** With several queues, each finding says which one it is about. */
function named({ name }: QueueDefinition, finding: Finding): Finding {
  return allQueues.length > 1 ? { ...finding, finding: `${name}: ${finding.finding}` } : finding;
}

export function judgeQueue(
  { consequences }: Pick<QueueDefinition, 'consequences'>,
  { jobs, oldestWaitingMs, workers }: Omit<QueueStatus, 'queue'>,
): Finding[] {
  const pending = jobs.waiting + jobs.active + jobs.delayed;
  return [
    judgeLag(pending, oldestWaitingMs, consequences.late),
    judgeWorkers(workers, pending),
    judgeFailed(jobs.failed, consequences.failed),
  ];
}

function judgeLag(pending: number, lagMs: number, consequence: string): Finding {
  if (pending === 0) return ok('No job waits.');
  const sentence = `${count(pending, 'job')} not done, the oldest ${timeInWords(lagMs)} old`;
  if (lagMs <= lagToWarnMs) return ok(`${sentence}.`);
  const tell = lagMs > lagToFailMs ? failure : warning;
  return tell(
    `${sentence}: ${consequence}.`,
    'Start more workers; where they do not help, look into their log.',
  );
}

function judgeWorkers(workers: number, pending: number): Finding {
  if (workers > 0) return ok(`${count(workers, 'worker')} connected.`);
  return pending > 0
    ? failure('No worker is connected, and jobs wait.', startAWorker)
    : warning('No worker is connected: scans will wait.', startAWorker);
}

function judgeFailed(failed: number, consequence: string): Finding {
  if (failed === 0) return ok('No job was given up.');
  return warning(
    `${count(failed, 'job')} given up: ${consequence}.`,
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
