import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import type { Config } from '../config.ts';
import { connectionCounts } from '../queue/connection-counts.ts';
import { dayMs } from '../runtime/units.ts';
import { type Partition, listPartitions, readHorizon } from '../scans/partitions.ts';
import { type Database, isLoginRefused } from '../store/database.ts';
import { serverNames, tlsError } from '../store/database-url.ts';
import { compareMigrations } from '../store/migrate.ts';
import type { PoolClient } from '../store/pool-client.ts';
import { type Encryption, assessEncryption, readEncryption, readRow, withConnection } from './connection.ts';
import { CheckAborted, type Finding, findingsFor, found } from './finding.ts';
import { formatDuration, pluralize } from './format.ts';
import { type PoolerMode, databaseError, detectPooler } from './postgres-servers.ts';

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
/** For the command line, migrations and a person with psql. */
const spareConnections = 5;
/** Our own connections are ended after 15 seconds. */
const idleToWarnMs = 60_000;
/** Workers create partitions months ahead, so this little time left means that they have failed to for weeks. */
const warnBeforeEndMs = 20 * dayMs;
const createPartitions =
  'Run `node dist/src/cli.js migrate`, and read the log of the workers to see why they do not create them.';

/** What the server reports about itself, read in one statement. */
export interface ServerFacts {
  version: string;
  versionNumber: number;
  encoding: string;
  fsync: string;
  synchronousCommit: string;
  isReadOnly: boolean;
  usableConnections: number;
  usedConnections: number;
  /** Processes, on any machine, that have a connection at the moment. */
  webProcesses: number;
  workerProcesses: number;
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

/** Connects, and checks the settings of the server, its clock and the schema. */
export async function checkServer(
  databaseUrl: string,
  config: Config,
  nowMs: () => number,
): Promise<{ pooler: PoolerMode; findings: Finding[] }> {
  const server = serverNames(databaseUrl);
  try {
    const pooler = await detectPooler(databaseUrl);
    const isShared = pooler === 'transaction' || pooler === 'statement';
    const findings = await withConnection(databaseUrl, async (db) => {
      // The first statement also connects, which would distort the latency and the clock comparison.
      await db.raw('SELECT 1');
      const sentAt = nowMs();
      const facts = await readRow<ServerFacts>(db, factsStatement);
      const receivedAt = nowMs();
      return found(
        ok(`${server} responds in ${Math.max(1, Math.round(receivedAt - sentAt))} ms.`),
        assessEncryption('postgres', server, await readLink(db), encryptionRemedies, nowMs()),
        assessServer(facts, config, isShared),
        assessClock(facts.nowMs - (sentAt + receivedAt) / 2),
        await checkIdleTransactions(db),
        await checkSchema(db, nowMs),
      );
    });
    return { pooler, findings };
  } catch (error) {
    throw new CheckAborted(explain(server, error as Error));
  }
}

function explain(server: string, error: Error): Finding {
  const { code, reason, isUnavailable } = databaseError(error);
  const tls = tlsError(error);
  if (tls) return failure(`${server} is not trusted: ${tls.reason}.`, tls.remedy);
  if (isUnavailable)
    return failure(
      `${server} cannot be reached (${code || reason}).`,
      'Start it, or set DATABASE_URL to a running server.',
    );
  if (isLoginRefused(code))
    return failure(
      `${server} rejects the login: ${reason}.`,
      'Correct the user, password and database in DATABASE_URL.',
    );
  return failure(`${server} cannot be queried: ${reason}.`, "Check DATABASE_URL and PostgreSQL's log.");
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

/** `isShared`: whether processes share its connections through a pooler. */
export function assessServer(facts: ServerFacts, config: Config, isShared = false): Finding[] {
  return found(
    assessVersion(facts),
    assessConnections(facts, config, isShared),
    assessDurability(facts),
    facts.encoding !== 'UTF8' &&
      failure(
        `The database's encoding is ${facts.encoding}: names and contents in other scripts are rejected.`,
        "Create a database with ENCODING 'UTF8' (CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0) and move the data there.",
      ),
    facts.isReadOnly &&
      failure(
        'The server accepts no writes: it is a standby or set to read-only.',
        'Point DATABASE_URL at the primary, or set default_transaction_read_only to off.',
      ),
  );
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

/** Assumes that all processes have the pool sizes that are set here. A pooler opens as many connections as it is told to. */
function assessConnections(facts: ServerFacts, config: Config, isShared: boolean): Finding {
  const { usableConnections: usable, usedConnections: used } = facts;
  if (isShared) return ok(`${usable} connections allowed, ${used} open; the pooler shares them.`);
  const { web, worker, replica } = connectionCounts(config);
  const webs = Math.max(facts.webProcesses, config.webConcurrency);
  const workers = Math.max(facts.workerProcesses, 1);
  const wanted = webs * web + workers * worker;
  const toReplicas = replica > 0 ? ` (and ${replica} to each replica)` : '';
  const processes = `${webs} web ${webs === 1 ? 'process' : 'processes'} and ${pluralize(workers, 'worker')}`;
  const message = `${usable} connections allowed, ${used} open; a web process opens up to ${web}${toReplicas}, a worker up to ${worker}, together ${wanted} for ${processes}`;
  if (usable >= wanted + spareConnections) return ok(`${message}.`);
  return warning(
    `${message}: too few, with ${spareConnections} to spare for the command line and migrations.`,
    `Set max_connections to ${wanted + spareConnections + 10} or more and restart PostgreSQL, put PgBouncer in front, or lower WEB_CONCURRENCY, WEB_POOL_SIZE or WORKER_POOL_SIZE.`,
  );
}

function assessDurability({ fsync, synchronousCommit }: ServerFacts): Finding {
  const settings = { fsync, synchronous_commit: synchronousCommit };
  const off = Object.entries(settings).flatMap(([name, value]) => (value === 'off' ? [name] : []));
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
  return (skewMs > skewToFailMs ? failure : warning)(
    `The server's clock is ${formatDuration(skewMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's: scans get the wrong time, and rate limits and sessions end at the wrong time.`,
    'Synchronize both clocks with a time server (chrony or systemd-timesyncd).',
  );
}

/** Sessions of this database that hold a transaction open and do nothing. Only a monitor sees those of other roles. */
export async function checkIdleTransactions(db: Database, minIdleMs = idleToWarnMs): Promise<Finding> {
  const { rows } = (await db.raw(
    `SELECT pid, application_name AS name,
            (extract(epoch FROM clock_timestamp() - state_change) * 1000)::float8 AS "idleMs"
     FROM pg_stat_activity
     WHERE state IN ('idle in transaction', 'idle in transaction (aborted)') AND datname = current_database()
       AND state_change <= clock_timestamp() - make_interval(secs => CAST(:seconds AS float8))
     ORDER BY state_change`,
    { seconds: minIdleMs / 1_000 },
  )) as { rows: { pid: number; name: string; idleMs: number }[] };
  const [oldest, ...others] = rows;
  if (!oldest) return ok('No session is idle in a transaction.');
  const more = others.length > 0 ? ` (and ${pluralize(others.length, 'other')})` : '';
  return warning(
    `Session ${oldest.pid}${oldest.name ? ` ("${oldest.name}")` : ''}${more} has been idle in a transaction for ${formatDuration(oldest.idleMs)}: migrations and deletions wait for its locks, and tables grow.`,
    `End it with \`SELECT pg_terminate_backend(${oldest.pid})\`, and set idle_in_transaction_session_timeout for the role of that program.`,
  );
}

/** Migrations and partitions. */
export async function checkSchema(db: Database, nowMs: () => number): Promise<Finding[]> {
  const { pending, unknown } = await compareMigrations(db);
  const isPending = pending.length > 0;
  return found(
    isPending && failure(`Migrations not applied: ${pending.join(', ')}.`, migrateFirst),
    unknown.length > 0 &&
      warning(
        `The schema has migrations that this release does not know: ${unknown.join(', ')}.`,
        'A newer release has migrated the database. Run that release here too.',
      ),
    !isPending && unknown.length === 0 && ok('All migrations are applied.'),
    !isPending && (await checkPartitions(db, nowMs())),
  );
}

export async function checkPartitions(db: Database, nowMs: number): Promise<Finding[]> {
  const partitions = await listPartitions(db);
  const { unfinished } = await readRow<{ unfinished: boolean }>(
    db,
    "SELECT to_regclass('scans_id') IS NOT NULL AS unfinished",
  );
  return found(
    assessPartitions(partitions.at(-1)?.to ?? new Date(0), await readHorizon(db), nowMs),
    // Scans that arrive late are recorded in their month, for a week.
    assessGaps(partitions, nowMs - 7 * dayMs),
    unfinished &&
      warning(
        'An index is kept for workers of the previous release; it costs space and time for each scan.',
        'When no process of that release runs any more, run `node dist/src/cli.js migrate --finish`.',
      ),
  );
}

export function assessPartitions(end: Date, horizon: Date | undefined, nowMs: number): Finding {
  const leftMs = end.getTime() - nowMs;
  const lastDay = dayOf(end.getTime() - dayMs);
  if (leftMs <= 0)
    return failure(`Scans after ${lastDay} have no partition and cannot be recorded.`, createPartitions);
  if (leftMs < warnBeforeEndMs)
    return warning(`Scans have partitions only until ${lastDay}.`, createPartitions);
  const since = horizon ? ` Raw scans are kept from ${dayOf(horizon.getTime())}.` : '';
  return ok(`Scans have partitions until ${lastDay}.${since}`);
}

/** Time since `since` without a partition before one of them. Without it, only between partitions. */
export function assessGaps(partitions: readonly Partition[], since?: number): Finding[] {
  return partitions.flatMap(({ from }, index) => {
    const end = partitions[index - 1]?.to.getTime() ?? since;
    if (!from || end === undefined || from.getTime() <= Math.max(end, since ?? 0)) return [];
    const span = `Scans from ${dayOf(end)} to ${dayOf(from.getTime() - dayMs)}`;
    return [failure(`${span} have no partition and cannot be recorded.`, createPartitions)];
  });
}

/** The day in UTC: "2026-11-17". */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
