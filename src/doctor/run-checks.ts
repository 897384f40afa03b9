import type { Config } from '../config.ts';
import { isOnRedis, queuePlace } from '../queue/queue-connection.ts';
import { attempt, findDatabase, requireValid } from './attempt.ts';
import { checkConfiguration, type Variables } from './configuration.ts';
import { checkDisk } from './disk.ts';
import { type Finding, findingsFor, CheckAborted } from './finding.ts';
import { checkGeoData } from './geo-data.ts';
import { checkMail } from './mail.ts';
import { checkPostgres } from './postgres.ts';
import { probe } from './probe.ts';
import { checkForwards, checkProxy, type SampleRequest } from './proxy.ts';
import { checkQueue } from './queue.ts';
import { checkRedis } from './redis-servers.ts';
import { checkSecret } from './secret.ts';
import { checkSpool } from './spool.ts';

interface ChecksOptions {
  config: Config;
  /** The errors of the environment that the configuration was read from. */
  errors?: string[];
  env?: Variables['env'];
  variables?: Variables['variables'];
  sample?: SampleRequest | undefined;
  /** Whether to send requests to BASE_URL, too. */
  isProbing?: boolean;
  nowMs?: () => number;
}

/** Checks the whole setup, subject by subject. Changes nothing and never rejects. */
export async function runChecks({
  config,
  errors = [],
  env,
  variables,
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
  const secret = await attempt('secret', async () => {
    if (!postgres.completed) return [];
    requireValid('secret', 'QRELAY_SECRET', errors);
    return checkSecret(databaseUrl, config);
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
  const mail = await attempt('mail', async () => {
    requireValid('mail', 'SMTP_URL', errors);
    requireValid('mail', 'MAIL_FROM', errors);
    return checkMail(config);
  });
  const geoData = await attempt('geo data', () => checkGeoData(config, nowMs));
  const forwards = await attempt('proxy', async () => (postgres.completed ? checkForwards(databaseUrl) : []));
  const probed = await attempt('proxy', async () => (isProbing ? probe(config) : []));
  const disk = await attempt('disk', () => checkDisk(config));
  return [
    ...checkConfiguration(config, errors, env && variables && { env, variables }),
    ...postgres.findings,
    ...secret.findings,
    ...redis.findings,
    ...queue.findings,
    ...spool.findings,
    ...mail.findings,
    ...geoData.findings,
    ...checkProxy(config, sample),
    ...forwards.findings,
    ...probed.findings,
    ...disk.findings,
  ];
}

const notChecked = findingsFor('queue').warning(
  'Not checked, because of the failures above.',
  'Fix those and run the doctor again.',
);
