import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import type { Config } from '../config.ts';
import {
  type Database,
  isDatabaseUnavailable,
  isLoginRefused,
  plainMessage,
  sqlState,
} from '../store/database.ts';
import { compareMigrations } from '../store/migration-list.ts';
import { connectionCounts } from '../queue/connection-counts.ts';
import type { PoolClient } from '../store/pool-client.ts';
import { serverNames } from '../store/database-url.ts';
import { tlsError } from '../store/tls-errors.ts';
import { checkHosts } from './database-hosts.ts';
import { assessEncryption, type Encryption, readEncryption } from './encryption.ts';
import { type Finding, findingsFor, CheckAborted } from './finding.ts';
import { checkIdleTransactions } from './idle-transactions.ts';
import { checkPartitions } from './partitions.ts';
import { formatDuration, withoutPeriod } from './format.ts';
import { checkReplicas } from './replicas.ts';
import { withConnection } from './with-connection.ts';
import { assessPgBouncer, readPgBouncer } from './pgbouncer.ts';
import { detectPooler, assessPooler } from './pooler.ts';
import { assessConnections, type ConnectionFacts } from './postgres-connections.ts';

const { ok, warning, failure } = findingsFor('postgres');

export const migrateFirst = 'Run `node dist/src/cli.js migrate` (`npm start` does this automatically).';

const encryptionRemedies = {
  encrypt:
    'Add sslmode=verify-full to DATABASE_URL, and sslrootcert=/path/to/ca.pem for a private certificate authority. The server needs ssl = on.',
  verify:
    'Set sslmode=verify-full in DATABASE_URL, with sslrootcert=/path/to/ca.pem for a private certificate authority.',
};
const minimumMajor = 14;
/** `npm test` runs every statement on it. */
export const oldestTestedMajor = 15;
const skewToWarnMs = 2_000;
const skewToFailMs = 60_000;

/** What the server reports about itself, read in one statement. */
export interface ServerFacts extends ConnectionFacts {
  version: string;
  versionNumber: number;
  encoding: string;
  fsync: string;
  synchronousCommit: string;
  isReadOnly: boolean;
  nowMs: number;
}

const factsStatement = `
  SELECT current_setting('server_version') AS version,
         current_setting('server_version_num')::integer AS "versionNumber",
         current_setting('server_encoding') AS encoding,
         current_setting('fsync') AS fsync,
         current_setting('synchronous_commit') AS "synchronousCommit",
         pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly",
         current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer AS "usableConnections",
         (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS "usedConnections",
         (SELECT count(DISTINCT application_name)::integer FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE 'qrelay web %:%') AS "webProcesses",
         (SELECT count(DISTINCT application_name)::integer FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE 'qrelay worker %:%') AS "workerProcesses",
         (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`;

export async function checkPostgres(
  databaseUrl: string,
  config: Config,
  nowMs: () => number,
): Promise<Finding[]> {
  const server = serverNames(databaseUrl);
  try {
    const pooler = await detectPooler(databaseUrl);
    const isShared = pooler === 'transaction' || pooler === 'statement';
    const findings = await withConnection(databaseUrl, (db) =>
      checkServer(db, { server, isShared, config, nowMs }),
    );
    const { all } = connectionCounts(config);
    const { databaseReplicaUrl } = config;
    return [
      ...findings,
      ...(await checkHosts(databaseUrl)),
      ...(databaseReplicaUrl ? await checkReplicas(databaseUrl, databaseReplicaUrl) : []),
      ...assessPooler(pooler, all, config.redisUrl !== undefined),
      ...(pooler === 'transaction' || pooler === 'session'
        ? [assessPgBouncer(await readPgBouncer(databaseUrl), pooler, all)]
        : []),
    ];
  } catch (error) {
    throw new CheckAborted(explain(server, error as Error));
  }
}

function explain(server: string, error: Error): Finding {
  const code = sqlState(error) ?? '';
  const reason = withoutPeriod(plainMessage(error)) || code;
  const tls = tlsError(error);
  if (tls) return failure(`${server} is not trusted: ${tls.reason}.`, tls.remedy);
  if (isDatabaseUnavailable(error)) {
    return failure(
      `${server} cannot be reached (${code || reason}).`,
      'Start it, or set DATABASE_URL to a running server.',
    );
  }
  if (isLoginRefused(code)) {
    return failure(
      `${server} rejects the login: ${reason}.`,
      'Correct the user, password and database in DATABASE_URL.',
    );
  }
  return failure(`${server} cannot be queried: ${reason}.`, "Check DATABASE_URL and PostgreSQL's log.");
}

interface ServerChecks {
  server: string;
  /** Whether processes share its connections through a pooler. */
  isShared: boolean;
  config: Config;
  nowMs: () => number;
}

async function checkServer(
  db: Database,
  { server, isShared, config, nowMs }: ServerChecks,
): Promise<Finding[]> {
  // The first statement also connects, which would distort the latency and the clock comparison.
  await db.raw('SELECT 1');
  const sentAt = nowMs();
  const { rows } = (await db.raw(factsStatement)) as { rows: [ServerFacts] };
  const receivedAt = nowMs();
  const [facts] = rows;
  return [
    ok(`${server} responds in ${Math.max(1, Math.round(receivedAt - sentAt))} ms.`),
    ...assessEncryption('postgres', server, await readLink(db), encryptionRemedies, nowMs()),
    ...assessServer(facts, config, isShared),
    assessClock(facts.nowMs - (sentAt + receivedAt) / 2),
    await checkIdleTransactions(db),
    ...(await checkSchema(db, nowMs)),
  ];
}

async function readLink(db: Database): Promise<Encryption> {
  const client = db.client as Knex.Client;
  const connection = (await client.acquireConnection()) as PoolClient;
  try {
    return readEncryption(connection.connection.stream as Socket);
  } finally {
    await client.releaseConnection(connection);
  }
}

export function assessServer(facts: ServerFacts, config: Config, isShared = false): Finding[] {
  const findings = [
    assessVersion(facts),
    assessConnections(facts, config, isShared),
    assessDurability(facts),
  ];
  if (facts.encoding !== 'UTF8') {
    findings.push(
      failure(
        `The database's encoding is ${facts.encoding}: names and contents in other scripts are rejected.`,
        "Create a database with ENCODING 'UTF8' (CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0) and move the data there.",
      ),
    );
  }
  if (facts.isReadOnly) {
    findings.push(
      failure(
        'The server accepts no writes: it is a standby or set to read-only.',
        'Point DATABASE_URL at the primary, or set default_transaction_read_only to off.',
      ),
    );
  }
  return findings;
}

function assessVersion({ version, versionNumber }: ServerFacts): Finding {
  if (versionNumber >= oldestTestedMajor * 10_000) return ok(`PostgreSQL ${version}.`);
  const remedy = `Upgrade the server to PostgreSQL ${oldestTestedMajor} or newer.`;
  if (versionNumber < minimumMajor * 10_000) return failure(`PostgreSQL ${version} is too old.`, remedy);
  return warning(
    `PostgreSQL ${version} is no longer maintained, and Qrelay is no longer tested with it: a statement may fail or be slow.`,
    remedy,
  );
}

function assessDurability({ fsync, synchronousCommit }: ServerFacts): Finding {
  const off = [
    ...(fsync === 'off' ? ['fsync'] : []),
    ...(synchronousCommit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (off.length === 0) return ok('Committed data survives a crash (fsync and synchronous_commit are on).');
  return warning(
    `${off.join(' and ')} off: a crash of the server can lose scans that were counted.`,
    `${off.map((name) => `ALTER SYSTEM SET ${name} = on;`).join(' ')} SELECT pg_reload_conf();`,
  );
}

/** How far the server's clock is ahead of ours. */
export function assessClock(aheadMs: number): Finding {
  const skewMs = Math.abs(aheadMs);
  if (skewMs <= skewToWarnMs)
    return ok(`The server's clock differs from this machine's by ${Math.round(skewMs)} ms.`);
  const message = `The server's clock is ${formatDuration(skewMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's: scans get the wrong time, and rate limits and sessions end at the wrong time.`;
  const remedy = 'Synchronize both clocks with a time server (chrony or systemd-timesyncd).';
  return skewMs > skewToFailMs ? failure(message, remedy) : warning(message, remedy);
}

/** Migrations and partitions. */
export async function checkSchema(db: Database, nowMs: () => number): Promise<Finding[]> {
  const migrations = await compareMigrations(db);
  const findings = assessMigrations(migrations);
  if (migrations.pending.length > 0) return findings;
  return [...findings, ...(await checkPartitions(db, nowMs()))];
}

function assessMigrations({ pending, unknown }: { pending: string[]; unknown: string[] }): Finding[] {
  const findings: Finding[] = [];
  if (pending.length > 0) {
    findings.push(failure(`Migrations not applied: ${pending.join(', ')}.`, migrateFirst));
  }
  if (unknown.length > 0) {
    findings.push(
      warning(
        `The schema has migrations that this release does not know: ${unknown.join(', ')}.`,
        'A newer release has migrated the database. Run that release here too.',
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('All migrations are applied.')];
}
