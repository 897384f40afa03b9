import { Client } from 'pg';
import { type Finding, findingsOn } from './finding.ts';

const { ok, failure } = findingsOn('postgres');

const timeoutMs = 5_000;
const turns = 5;

type PoolerMode = 'none' | 'session' | 'transaction';

/** Asked on two connections in turn: which process of the server answers on each. */
export async function findPooler(databaseUrl: string): Promise<PoolerMode> {
  const clients: Client[] = [];
  try {
    const first = await open(databaseUrl);
    clients.push(first);
    // The server names its own process when a connection is made; a pooler makes a number up.
    const toldPid = (first as unknown as { processID: number | null }).processID;
    if ((await backendOf(first)) === toldPid) return 'none';
    const second = await open(databaseUrl);
    clients.push(second);
    const seen = { first: new Set<number>(), second: new Set<number>() };
    for (let turn = 0; turn < turns; turn += 1) {
      seen.first.add(await backendOf(first));
      seen.second.add(await backendOf(second));
    }
    // In session mode, each has a backend for itself.
    const isShared =
      seen.first.size + seen.second.size > 2 || [...seen.first].some((pid) => seen.second.has(pid));
    return isShared ? 'transaction' : 'session';
  } catch (error) {
    // In session mode, with a pool so small that the second has to wait for the first.
    if (clients.length === 2) return 'session';
    throw error;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function open(databaseUrl: string): Promise<Client> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'qrelay doctor',
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

export function judgePooler(mode: PoolerMode, wantedConnections: number, hasRedis: boolean): Finding[] {
  if (mode === 'none') return [];
  if (mode === 'session') {
    return [
      ok(
        `A pooler in session mode stands before PostgreSQL: its pool needs ${wantedConnections} connections or more.`,
      ),
    ];
  }
  if (hasRedis) {
    return [
      ok(
        'A pooler in transaction mode stands before PostgreSQL: statements are sent without being kept prepared.',
      ),
    ];
  }
  return [
    failure(
      'A pooler in transaction mode stands before PostgreSQL, and the queue in PostgreSQL needs LISTEN, which is lost there: scans are recorded late or never.',
      'Set REDIS_URL, or set DATABASE_URL to PostgreSQL itself or to a pool in session mode.',
    ),
  ];
}
