import type { Config, Environment } from '../config.ts';
import { isOnRedis, queuePlace } from '../queue/queue-connection.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { plainMessage, setupErrorMessage } from '../store/database.ts';
import { findEmbeddedPostgres } from '../store/embedded/server.ts';
import { checkBackup, checkData } from './backup.ts';
import { checkConfiguration, invalidVariables } from './configuration.ts';
import { withConnection } from './connection.ts';
import { checkDisk, checkSpool } from './disk.ts';
import { CheckAborted, type Finding, findingsFor, type Found, found, type Subject } from './finding.ts';
import { withoutPeriod } from './format.ts';
import { checkGeoData } from './geo-data.ts';
import { checkMail } from './mail.ts';
import { checkOpenId, checkOpenIdWorkspace } from './openid.ts';
import { checkServer } from './postgres.ts';
import { type PoolerMode, checkHosts, checkPooler, checkReplicas } from './postgres-servers.ts';
import { type SampleRequest, checkForwards, checkProxy, probe } from './proxy.ts';
import { checkAgreement, checkJobs, checkQueue } from './queue.ts';
import { checkRedis } from './redis.ts';
import { checkSecret } from './secret.ts';

interface Given {
  config: Config;
  /** The errors of the environment that the configuration was read from. */
  errors?: string[];
  env?: Environment;
  /** The variables that are read. */
  variables?: ReadonlySet<string>;
  sample?: SampleRequest | undefined;
  /** Whether to send requests to BASE_URL, too. */
  isProbing?: boolean;
  nowMs?: () => number;
}

type Context = Required<Pick<Given, 'config' | 'errors' | 'nowMs'>> &
  Given & {
    /** Found by the check `database`. */
    databaseUrl: string;
    pooler: PoolerMode;
  };

interface Check {
  name: string;
  subject: Subject;
  /** An invalid variable has its default value, and checking that would be misleading. */
  variables?: string[];
  /** Checks that must have completed. Otherwise this one is skipped, and the report has `skipped`. */
  needs?: string[];
  skipped?: Finding;
  run(context: Context): Found | Promise<Found>;
}

const secret: Check = {
  name: 'secret',
  subject: 'secret',
  variables: ['QRELAY_SECRET'],
  needs: ['database'],
  run: ({ databaseUrl, config }) => withConnection(databaseUrl, (db) => checkSecret(db, config)),
};

const spool: Check = {
  name: 'spool',
  subject: 'spool',
  run: ({ config, nowMs }) => checkSpool(config, nowMs()),
};

const doctorChecks: Check[] = [
  {
    name: 'configuration',
    subject: 'configuration',
    run: ({ config, errors, env, variables }) =>
      checkConfiguration(config, errors, env && variables && { env, variables }),
  },
  {
    name: 'database',
    subject: 'postgres',
    variables: ['DATABASE_URL'],
    async run(context) {
      context.databaseUrl = await findDatabase(context.config);
      const { pooler, findings } = await checkServer(context.databaseUrl, context.config, context.nowMs);
      context.pooler = pooler;
      return findings;
    },
  },
  {
    name: 'hosts',
    subject: 'postgres',
    needs: ['database'],
    run: ({ databaseUrl }) => checkHosts(databaseUrl),
  },
  {
    name: 'replicas',
    subject: 'postgres',
    needs: ['database'],
    run: async ({ databaseUrl, config: { databaseReplicaUrl } }) =>
      databaseReplicaUrl !== undefined && checkReplicas(databaseUrl, databaseReplicaUrl),
  },
  {
    name: 'pooler',
    subject: 'postgres',
    needs: ['database'],
    run: ({ databaseUrl, pooler, config }) => checkPooler(databaseUrl, pooler, config),
  },
  secret,
  {
    name: 'redis',
    subject: 'redis',
    variables: ['REDIS_URL', 'REDIS_CA_FILE'],
    async run({ config, databaseUrl }) {
      const place = queuePlace(config, databaseUrl);
      if (isOnRedis(place)) return checkRedis(place);
      return findingsFor('redis').ok('REDIS_URL is not set: the queue is in PostgreSQL.');
    },
  },
  {
    name: 'queue',
    subject: 'queue',
    needs: ['database', 'redis'],
    skipped: findingsFor('queue').warning(
      'Not checked, because of the failures above.',
      'Fix those and run the doctor again.',
    ),
    run: ({ config, databaseUrl }) => checkQueue(queuePlace(config, databaseUrl)),
  },
  spool,
  {
    name: 'mail',
    subject: 'mail',
    variables: ['SMTP_URL', 'MAIL_FROM'],
    run: ({ config }) => checkMail(config),
  },
  {
    name: 'openid',
    subject: 'openid',
    variables: ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_DOMAINS', 'OIDC_ONLY'],
    run: ({ config }) => checkOpenId(config),
  },
  {
    name: 'openid workspace',
    subject: 'openid',
    variables: ['OIDC_WORKSPACE', 'OIDC_WORKSPACE_ROLE'],
    needs: ['database'],
    run: ({ config, databaseUrl }) =>
      config.openId?.workspace && withConnection(databaseUrl, (db) => checkOpenIdWorkspace(db, config)),
  },
  { name: 'geo data', subject: 'geo data', run: ({ config, nowMs }) => checkGeoData(config, nowMs) },
  { name: 'proxy', subject: 'proxy', run: ({ config, sample }) => checkProxy(config, sample) },
  {
    name: 'forwarded requests',
    subject: 'proxy',
    needs: ['database'],
    run: ({ databaseUrl }) => withConnection(databaseUrl, checkForwards),
  },
  {
    name: 'probe',
    subject: 'proxy',
    run: async ({ config, isProbing }) => isProbing && probe(config),
  },
  { name: 'disk', subject: 'disk', run: ({ config }) => checkDisk(config) },
];

const backupChecks: Check[] = [
  {
    name: 'configuration',
    subject: 'configuration',
    run: ({ errors }) => invalidVariables(errors),
  },
  {
    name: 'database',
    subject: 'backup',
    variables: ['DATABASE_URL', 'QRELAY_SECRET'],
    async run(context) {
      const { config, nowMs } = context;
      context.databaseUrl = await findDatabase(config);
      const isEmbedded = config.databaseUrl === undefined;
      return withConnection(context.databaseUrl, (db) => checkBackup(db, isEmbedded, nowMs()));
    },
  },
  secret,
  {
    name: 'data',
    subject: 'data',
    needs: ['database'],
    run: ({ databaseUrl, nowMs }) => withConnection(databaseUrl, (db) => checkData(db, nowMs)),
  },
  {
    name: 'queue',
    subject: 'queue',
    variables: ['REDIS_URL'],
    needs: ['database'],
    run({ config, databaseUrl }) {
      const place = queuePlace(config, databaseUrl);
      return withConnection(databaseUrl, async (db) => [
        await checkAgreement(db, place),
        await checkJobs(db, place, config.rootSecrets),
      ]);
    },
  },
  spool,
];

/** Checks the whole setup, subject by subject. Changes nothing and never rejects. */
export const runChecks = (given: Given): Promise<Finding[]> => run(doctorChecks, given);

/** What a backup of this installation must contain, and whether restored data is complete. Changes nothing and never rejects. */
export const runBackupChecks = (given: Given): Promise<Finding[]> => run(backupChecks, given);

const checkTimeoutMs = 15_000;

async function run(checks: Check[], given: Given): Promise<Finding[]> {
  const context: Context = { errors: [], nowMs: Date.now, ...given, databaseUrl: '', pooler: 'none' };
  const completed = new Set<string>();
  const findings: Finding[] = [];
  for (const check of checks) {
    const { name, subject, needs = [], skipped, variables = [] } = check;
    if (!needs.every((needed) => completed.has(needed))) {
      if (skipped) findings.push(skipped);
      continue;
    }
    const invalid = variables.find((variable) =>
      context.errors.some((error) => error.startsWith(`${variable} `)),
    );
    if (invalid) {
      const remedy = `Correct ${invalid} and run this again.`;
      findings.push(findingsFor(subject).warning(`Not checked: ${invalid} is invalid.`, remedy));
      continue;
    }
    try {
      findings.push(...found(await withTimeout(checkTimeoutMs, Promise.resolve(check.run(context)))));
      completed.add(name);
    } catch (error) {
      findings.push(explain(subject, error));
    }
  }
  return findings;
}

function explain(subject: Subject, error: unknown): Finding {
  if (error instanceof CheckAborted) return error.finding;
  const reason = setupErrorMessage(error) ?? (error instanceof Error ? plainMessage(error) : String(error));
  return findingsFor(subject).failure(
    `The check failed: ${withoutPeriod(reason)}.`,
    'Fix that and run this again.',
  );
}

/** DATABASE_URL, or the embedded database that is running. */
async function findDatabase({ databaseUrl, dataDir }: Config): Promise<string> {
  const url = databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (url) return url;
  throw new CheckAborted(
    findingsFor('postgres').failure(
      `No database is running in ${dataDir}, and DATABASE_URL is not set.`,
      'Start the service with `npm start`, set DATABASE_URL, or set DATA_DIR to the folder of a running service.',
    ),
  );
}
