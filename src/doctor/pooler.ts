import { connectionOptions } from '../store/connection-options.ts';
import { PoolClient } from '../store/pool-client.ts';
import { type Finding, findingsFor } from './finding.ts';

const { ok, failure } = findingsFor('postgres');

const timeoutMs = 5_000;
const rounds = 5;

type PoolerMode = 'none' | 'session' | 'transaction' | 'statement';

/** Compares which server process runs the statements of two connections. */
export async function detectPooler(databaseUrl: string): Promise<PoolerMode> {
  const clients: PoolClient[] = [];
  try {
    const first = await open(databaseUrl);
    clients.push(first);
    // The server reports the PID of the session's process when a connection is opened; a pooler invents one.
    const reportedPid = (first as unknown as { processID: number | null }).processID;
    if ((await backendOf(first)) === reportedPid) return 'none';
    const second = await open(databaseUrl);
    clients.push(second);
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

async function open(databaseUrl: string): Promise<PoolClient> {
  const client = new PoolClient({
    ...connectionOptions(databaseUrl),
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

export function assessPooler(mode: PoolerMode, wantedConnections: number, hasRedis: boolean): Finding[] {
  if (mode === 'none') return [];
  if (mode === 'session') {
    return [
      ok(
        `A pooler in session mode is in front of PostgreSQL: its pool needs at least ${wantedConnections} connections.`,
      ),
    ];
  }
  if (mode === 'statement') {
    return [
      failure(
        'A pooler in statement mode is in front of PostgreSQL, which rejects transactions: codes cannot be changed or deleted.',
        'Set pool_mode = transaction (with REDIS_URL) or session for this database, or point DATABASE_URL at PostgreSQL itself.',
      ),
    ];
  }
  if (hasRedis) {
    return [ok('A pooler in transaction mode is in front of PostgreSQL: statements are sent unprepared.')];
  }
  return [
    failure(
      'A pooler in transaction mode is in front of PostgreSQL, and the queue in PostgreSQL needs LISTEN, which does not work through it: scans are recorded late or never.',
      'Set REDIS_URL, or point DATABASE_URL at PostgreSQL itself or at a pool in session mode.',
    ),
  ];
}
