import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { connectionCounts } from '../queue/connection-counts.ts';
import { connectionOptions, PoolClient } from '../store/pool-client.ts';
import { type Database, isDatabaseUnavailable, plainMessage, sqlState } from '../store/database.ts';
import { serverNames, splitHosts } from '../store/database-url.ts';
import { maxLagMs, readServerPosition, type ServerPosition } from '../store/replicas.ts';
import { withConnection } from './connection.ts';
import { type Finding, findingsFor, type Found, found } from './finding.ts';
import { withoutPeriod } from './format.ts';

const { ok, warning, failure } = findingsFor('postgres');

export function databaseError(error: Error): { code: string; reason: string; isUnavailable: boolean } {
  const code = sqlState(error) ?? '';
  const reason = withoutPeriod(plainMessage(error)) || code;
  return { code, reason, isUnavailable: isDatabaseUnavailable(error) };
}

export interface HostState {
  name: string;
  position?: Pick<ServerPosition, 'isStandby' | 'systemId'>;
  error?: Error;
}

/** Whether each of several hosts in DATABASE_URL could take over. Connections use only the one that accepts writes. */
export async function checkHosts(databaseUrl: string): Promise<Found> {
  const urls = splitHosts(databaseUrl);
  return urls.length > 1 && assessHosts(await Promise.all(urls.map(readHost)));
}

async function readHost(url: string): Promise<HostState> {
  const name = serverNames(url);
  const parsed = new URL(url);
  // A standby does not have the attributes that the URL demands.
  parsed.searchParams.delete('target_session_attrs');
  return withConnection(parsed.href, readServerPosition).then(
    (position) => ({ name, position }),
    (error: unknown) => ({ name, error: error as Error }),
  );
}

export function assessHosts(hosts: HostState[]): Finding[] {
  const primaries = hosts.filter(({ position }) => position?.isStandby === false);
  const systemId = primaries[0]?.position?.systemId;
  const findings = found(
    hosts.map((host) => assessHost(host, systemId)),
    primaries.length > 1 &&
      failure(
        `${primaries.map(({ name }) => name).join(' and ')} of DATABASE_URL all accept writes: processes may use different ones, and scans and codes are divided between them.`,
        'Stop all but one, and make the others standbys of it.',
      ),
  );
  return findings.length > 0
    ? findings
    : [ok(`All ${hosts.length} hosts of DATABASE_URL respond, and one of them accepts writes.`)];
}

function assessHost({ name, position, error }: HostState, systemId: string | undefined): Finding | undefined {
  if (!error) {
    if (systemId === undefined || position?.systemId === systemId) return undefined;
    return failure(
      `${name} of DATABASE_URL has another database (another system identifier): if it is promoted, codes and scans are missing.`,
      'Name only a primary and its standbys in DATABASE_URL.',
    );
  }
  const { code, reason, isUnavailable } = databaseError(error);
  return isUnavailable
    ? warning(
        `${name} of DATABASE_URL cannot be reached (${code || reason}): it cannot take over if the primary fails.`,
        'Start it, or remove it from DATABASE_URL.',
      )
    : failure(
        `${name} of DATABASE_URL cannot be used: ${reason}. It cannot take over if the primary fails.`,
        'Make it a standby of the primary, with the same users and pg_hba.conf, or remove it from DATABASE_URL.',
      );
}

const askAgainMs = 50;

/** Checks that each host of DATABASE_REPLICA_URL follows this primary, and how closely. */
export async function checkReplicas(databaseUrl: string, replicaUrl: string): Promise<Finding[]> {
  return withConnection(databaseUrl, async (primary) => {
    const findings: Finding[] = [];
    for (const url of splitHosts(replicaUrl)) findings.push(await checkReplica(primary, url));
    return findings;
  });
}

async function checkReplica(primary: Database, url: string): Promise<Finding> {
  const name = `Replica ${serverNames(url)}`;
  try {
    return await withConnection(url, async (replica) => {
      const { isStandby, systemId } = await readServerPosition(replica);
      const wanted = await readServerPosition(primary);
      const askedAt = performance.now();
      if (systemId !== wanted.systemId)
        return failure(
          `${name} is not a replica of this primary (another system identifier): it is never read.`,
          'Set DATABASE_REPLICA_URL to a streaming replica of the server in DATABASE_URL.',
        );
      if (!isStandby)
        return warning(
          `${name} is the primary itself: it is not used as a replica.`,
          'Leave it as it is if the servers change roles. Otherwise set DATABASE_REPLICA_URL to a streaming replica.',
        );
      if (await reaches(replica, wanted.position ?? 0, askedAt + maxLagMs))
        return ok(
          `${name} follows the primary and is at most ${Math.round(performance.now() - askedAt)} ms behind.`,
        );
      return warning(
        `${name} is more than ${maxLagMs / 1_000} s behind the primary: it is not read until it has caught up.`,
        'Compare pg_stat_replication on the primary with pg_stat_wal_receiver on the replica. It may be down for maintenance, too slow, or held up by long queries (max_standby_streaming_delay).',
      );
    });
  } catch (error) {
    const { code, reason, isUnavailable } = databaseError(error as Error);
    return isUnavailable
      ? warning(
          `${name} cannot be reached (${code || reason}): reads go to the primary.`,
          'Start it, or correct DATABASE_REPLICA_URL.',
        )
      : failure(
          `${name} cannot be read: ${reason}.`,
          'Correct the user, password and database in DATABASE_REPLICA_URL. The role must be allowed to execute pg_control_system().',
        );
  }
}

async function reaches(replica: Database, position: number, deadline: number): Promise<boolean> {
  while (performance.now() < deadline) {
    const { position: replayed } = await readServerPosition(replica);
    if (replayed !== null && replayed >= position) return true;
    await sleep(askAgainMs);
  }
  return false;
}

const poolerTimeoutMs = 5_000;
const consoleTimeoutMs = 3_000;
const rounds = 5;

export type PoolerMode = 'none' | 'session' | 'transaction' | 'statement';

/** Compares which server process runs the statements of two connections. */
export async function detectPooler(databaseUrl: string): Promise<PoolerMode> {
  const clients: PoolClient[] = [];
  const open = async () => {
    const client = await connect(connectionOptions(databaseUrl), poolerTimeoutMs);
    clients.push(client);
    return client;
  };
  try {
    const first = await open();
    // The server reports the PID of the session's process when a connection is opened; a pooler invents one.
    const reportedPid = (first as unknown as { processID: number | null }).processID;
    if ((await backendOf(first)) === reportedPid) return 'none';
    const second = await open();
    const seen = { first: new Set<number>(), second: new Set<number>() };
    for (let round = 0; round < rounds; round += 1) {
      seen.first.add(await backendOf(first));
      seen.second.add(await backendOf(second));
    }
    // In session mode, each connection has its own server process.
    const isShared =
      seen.first.size + seen.second.size > 2 || [...seen.first].some((pid) => seen.second.has(pid));
    if (!isShared) return 'session';
    return (await allowsTransactions(first)) ? 'transaction' : 'statement';
  } catch (error) {
    // Session mode with a pool so small that the second connection waits for the first.
    if (clients.length === 2) return 'session';
    throw error;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function connect(
  options: ConstructorParameters<typeof PoolClient>[0] & object,
  timeoutMs: number,
): Promise<PoolClient> {
  const client = new PoolClient({
    ...options,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'qrelay doctor',
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function allowsTransactions(client: PoolClient): Promise<boolean> {
  try {
    // Two messages: a pooler in statement mode rejects a transaction that is open after one of them.
    await client.query('BEGIN');
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

async function backendOf(client: PoolClient): Promise<number> {
  const { rows } = (await client.query('SELECT pg_backend_pid() AS pid')) as { rows: { pid: number }[] };
  return rows[0]?.pid ?? 0;
}

export async function checkPooler(databaseUrl: string, mode: PoolerMode, config: Config): Promise<Found> {
  const { all: wanted } = connectionCounts(config);
  if (mode === 'none') return undefined;
  if (mode === 'statement')
    return failure(
      'A pooler in statement mode is in front of PostgreSQL, which rejects transactions: codes cannot be changed or deleted.',
      'Set pool_mode = transaction (with REDIS_URL) or session for this database, or point DATABASE_URL at PostgreSQL itself.',
    );
  const limits = assessPgBouncer(await readPgBouncer(databaseUrl), mode, wanted);
  if (mode === 'session')
    return [
      ok(
        `A pooler in session mode is in front of PostgreSQL: its pool needs at least ${wanted} connections.`,
      ),
      limits,
    ];
  return [
    config.redisUrl !== undefined
      ? ok('A pooler in transaction mode is in front of PostgreSQL: statements are sent unprepared.')
      : failure(
          'A pooler in transaction mode is in front of PostgreSQL, and the queue in PostgreSQL needs LISTEN, which does not work through it: scans are recorded late or never.',
          'Set REDIS_URL, or point DATABASE_URL at PostgreSQL itself or at a pool in session mode.',
        ),
    limits,
  ];
}

/** What PgBouncer's own console says, if the user of DATABASE_URL may use it. */
export interface PgBouncerFacts {
  /** "PgBouncer 1.18.0" */
  version: string;
  maxClients: number;
  poolSize: number;
}

async function readPgBouncer(databaseUrl: string): Promise<PgBouncerFacts | undefined> {
  const [first = databaseUrl] = splitHosts(databaseUrl);
  const url = new URL(first);
  url.pathname = '/pgbouncer';
  let client: PoolClient | undefined;
  try {
    client = await connect({ connectionString: url.href }, consoleTimeoutMs);
    const { rows: versions } = (await client.query('SHOW VERSION')) as { rows: { version?: string }[] };
    const { rows } = (await client.query('SHOW CONFIG')) as { rows: { key: string; value: string }[] };
    const setting = (name: string) => Number(rows.find(({ key }) => key === name)?.value ?? Number.NaN);
    return {
      version: versions[0]?.version ?? 'PgBouncer',
      maxClients: setting('max_client_conn'),
      poolSize: setting('default_pool_size'),
    };
  } catch {
    // Another pooler, or a user who is not in stats_users.
    return undefined;
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/** `wanted`: connections that the processes here open to it. */
export function assessPgBouncer(
  facts: PgBouncerFacts | undefined,
  mode: 'session' | 'transaction',
  wanted: number,
): Finding {
  if (!facts)
    return ok(
      'The version and limits of the pooler are not visible. For PgBouncer, add the user of DATABASE_URL to stats_users to have them checked.',
    );
  const { version, maxClients, poolSize } = facts;
  const message = `${version}: max_client_conn is ${maxClients}, default_pool_size ${poolSize}`;
  if (maxClients < wanted)
    return warning(
      `${message}, but web processes and a worker here open up to ${wanted} connections: some are refused.`,
      `Set max_client_conn to ${wanted + 10} or more, and more for processes on other machines.`,
    );
  if (mode === 'session' && poolSize < wanted)
    return warning(
      `${message}, but in session mode web processes and a worker here need up to ${wanted} connections of the pool: some wait.`,
      `Set default_pool_size to ${wanted} or more, or use transaction mode with REDIS_URL.`,
    );
  return ok(`${message}.`);
}
