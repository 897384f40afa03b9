import type { Config } from '../config.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { plainMessage } from '../store/database.ts';
import { findEmbeddedPostgres } from '../store/embedded/server.ts';
import { setupErrorMessage } from '../store/setup-error-message.ts';
import { examineConfiguration } from './configuration.ts';
import { examineDisk } from './disk.ts';
import { type Finding, findingsOn, StoppedBy, type Subject } from './finding.ts';
import { examineGeoData } from './geo-data.ts';
import { withoutStop } from './in-words.ts';
import { examinePostgres } from './postgres.ts';
import { examineProxy, type SampleRequest } from './proxy.ts';
import { examineQueue } from './queue.ts';
import { examineRedis } from './redis.ts';
import { examineSpool } from './spool.ts';

const deadlineMs = 15_000;

interface Examination {
  config: Config;
  /** What is wrong with the environment that the configuration was read from. */
  errors?: string[];
  sample?: SampleRequest | undefined;
  nowMs?: () => number;
}

/** Everything that is to be said of a set-up, subject by subject. Looks only, and never rejects. */
export async function examine({
  config,
  errors = [],
  sample,
  nowMs = Date.now,
}: Examination): Promise<Finding[]> {
  let databaseUrl = '';
  const postgres = await ask('postgres', async () => {
    mustBeRight('postgres', 'DATABASE_URL', errors);
    databaseUrl = await findDatabase(config);
    return examinePostgres(databaseUrl, config, nowMs);
  });
  const { redisUrl } = config;
  const redis = await ask('redis', async () => {
    mustBeRight('redis', 'REDIS_URL', errors);
    if (redisUrl) return examineRedis(redisUrl);
    return [findingsOn('redis').ok('REDIS_URL is not set: the queue is in PostgreSQL.')];
  });
  const queue = await ask('queue', async () => {
    if (!postgres.answered || !redis.answered) throw new StoppedBy(notExamined);
    return examineQueue({ databaseUrl, redisUrl });
  });
  const spool = await ask('spool', () => examineSpool(config, nowMs));
  const geoData = await ask('geo data', async () => examineGeoData(nowMs));
  const disk = await ask('disk', () => examineDisk(config));
  return [
    ...examineConfiguration(config, errors),
    ...postgres.findings,
    ...redis.findings,
    ...queue.findings,
    ...spool.findings,
    ...geoData.findings,
    ...examineProxy(config, sample),
    ...disk.findings,
  ];
}

const notExamined = findingsOn('queue').warning(
  'Not examined: what is wrong above comes first.',
  'Mend that, and ask again.',
);

/** A check that fails or hangs is a finding like any other. */
async function ask(
  subject: Subject,
  check: () => Promise<Finding[]>,
): Promise<{ answered: boolean; findings: Finding[] }> {
  try {
    return { answered: true, findings: await withTimeout(deadlineMs, check()) };
  } catch (error) {
    return { answered: false, findings: [explain(subject, error)] };
  }
}

function explain(subject: Subject, error: unknown): Finding {
  if (error instanceof StoppedBy) return error.finding;
  const reason = setupErrorMessage(error) ?? (error instanceof Error ? plainMessage(error) : String(error));
  return findingsOn(subject).failure(
    `It could not be examined: ${withoutStop(reason)}.`,
    'Mend that, and ask again.',
  );
}

/** With a faulty address, its default would be examined, and nobody meant that. */
function mustBeRight(subject: Subject, name: string, errors: string[]): void {
  if (!errors.some((error) => error.startsWith(`${name} `))) return;
  throw new StoppedBy(
    findingsOn(subject).warning(`Not examined: ${name} is invalid.`, `Set ${name} right, and ask again.`),
  );
}

async function findDatabase({ databaseUrl, dataDir }: Config): Promise<string> {
  const found = databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (found) return found;
  throw new StoppedBy(
    findingsOn('postgres').failure(
      `No database is running in ${dataDir}, and DATABASE_URL is not set.`,
      'Start the service with `npm start`, or set DATABASE_URL, or DATA_DIR to the folder of one that runs.',
    ),
  );
}
