import type { Config } from '../config.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { isOnRedis } from '../queue/queue-connection.ts';
import { queuePlace } from '../queue/queue-place.ts';
import { plainMessage } from '../store/database.ts';
import { findEmbeddedPostgres } from '../store/embedded/server.ts';
import { setupErrorMessage } from '../store/setup-error-message.ts';
import { checkConfiguration } from './configuration.ts';
import { checkDisk } from './disk.ts';
import { type Finding, findingsFor, CheckAborted, type Subject } from './finding.ts';
import { checkGeoData } from './geo-data.ts';
import { withoutPeriod } from './format.ts';
import { checkPostgres } from './postgres.ts';
import { probe } from './probe.ts';
import { checkProxy, type SampleRequest } from './proxy.ts';
import { checkQueue } from './queue.ts';
import { checkRedis } from './redis-servers.ts';
import { checkSpool } from './spool.ts';

const checkTimeoutMs = 15_000;

interface ChecksOptions {
  config: Config;
  /** The errors of the environment that the configuration was read from. */
  errors?: string[];
  sample?: SampleRequest | undefined;
  /** Whether to send requests to BASE_URL, too. */
  isProbing?: boolean;
  nowMs?: () => number;
}

/** Checks the whole setup, subject by subject. Changes nothing and never rejects. */
export async function runChecks({
  config,
  errors = [],
  sample,
  isProbing = false,
  nowMs = Date.now,
}: ChecksOptions): Promise<Finding[]> {
  let databaseUrl = '';
  const postgres = await attempt('postgres', async () => {
    requireValid('postgres', 'DATABASE_URL', errors);
    databaseUrl = await findDatabase(config);
    return checkPostgres(databaseUrl, config, nowMs);
  });
  const redis = await attempt('redis', async () => {
    requireValid('redis', 'REDIS_URL', errors);
    requireValid('redis', 'REDIS_CA_FILE', errors);
    const place = queuePlace(config, databaseUrl);
    if (isOnRedis(place)) return checkRedis(place);
    return [findingsFor('redis').ok('REDIS_URL is not set: the queue is in PostgreSQL.')];
  });
  const queue = await attempt('queue', async () => {
    if (!postgres.completed || !redis.completed) throw new CheckAborted(notChecked);
    return checkQueue(queuePlace(config, databaseUrl), nowMs);
  });
  const spool = await attempt('spool', () => checkSpool(config, nowMs));
  const geoData = await attempt('geo data', () => checkGeoData(config, nowMs));
  const probed = await attempt('proxy', async () => (isProbing ? probe(config) : []));
  const disk = await attempt('disk', () => checkDisk(config));
  return [
    ...checkConfiguration(config, errors),
    ...postgres.findings,
    ...redis.findings,
    ...queue.findings,
    ...spool.findings,
    ...geoData.findings,
    ...checkProxy(config, sample),
    ...probed.findings,
    ...disk.findings,
  ];
}

const notChecked = findingsFor('queue').warning(
  'Not checked, because of the failures above.',
  'Fix those and run the doctor again.',
);

/** A check that throws or times out becomes a finding. */
async function attempt(
  subject: Subject,
  check: () => Promise<Finding[]>,
): Promise<{ completed: boolean; findings: Finding[] }> {
  try {
    return { completed: true, findings: await withTimeout(checkTimeoutMs, check()) };
  } catch (error) {
    return { completed: false, findings: [explain(subject, error)] };
  }
}

function explain(subject: Subject, error: unknown): Finding {
  if (error instanceof CheckAborted) return error.finding;
  const reason = setupErrorMessage(error) ?? (error instanceof Error ? plainMessage(error) : String(error));
  return findingsFor(subject).failure(
    `The check failed: ${withoutPeriod(reason)}.`,
    'Fix that and run the doctor again.',
  );
}

/** An invalid variable has its default value, and checking that would be misleading. */
function requireValid(subject: Subject, name: string, errors: string[]): void {
  if (!errors.some((error) => error.startsWith(`${name} `))) return;
  throw new CheckAborted(
    findingsFor(subject).warning(
      `Not checked: ${name} is invalid.`,
      `Correct ${name} and run the doctor again.`,
    ),
  );
}

async function findDatabase({ databaseUrl, dataDir }: Config): Promise<string> {
  const found = databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (found) return found;
  throw new CheckAborted(
    findingsFor('postgres').failure(
      `No database is running in ${dataDir}, and DATABASE_URL is not set.`,
      'Start the service with `npm start`, set DATABASE_URL, or set DATA_DIR to the folder of a running service.',
    ),
  );
}
