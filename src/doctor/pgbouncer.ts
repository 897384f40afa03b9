import { splitHosts } from '../store/database-url.ts';
import { PoolClient } from '../store/pool-client.ts';
import { type Finding, findingsFor } from './finding.ts';

const { ok, warning } = findingsFor('postgres');

const timeoutMs = 3_000;

/** What PgBouncer's own console says, if the user of DATABASE_URL may use it. */
export interface PgBouncerFacts {
  /** "PgBouncer 1.18.0" */
  version: string;
  maxClients: number;
  poolSize: number;
}

export async function readPgBouncer(databaseUrl: string): Promise<PgBouncerFacts | undefined> {
  const [first = databaseUrl] = splitHosts(databaseUrl);
  const url = new URL(first);
  url.pathname = '/pgbouncer';
  const client = new PoolClient({
    connectionString: url.href,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'qrelay doctor',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
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
    await client.end().catch(() => undefined);
  }
}

/** `wanted`: connections that the processes here open to it. */
export function assessPgBouncer(
  facts: PgBouncerFacts | undefined,
  mode: 'session' | 'transaction',
  wanted: number,
): Finding {
  if (!facts) {
    return ok(
      'The version and limits of the pooler are not visible. For PgBouncer, add the user of DATABASE_URL to stats_users to have them checked.',
    );
  }
  const { version, maxClients, poolSize } = facts;
  const message = `${version}: max_client_conn is ${maxClients}, default_pool_size ${poolSize}`;
  if (maxClients < wanted) {
    return warning(
      `${message}, but web processes and a worker here open up to ${wanted} connections: some are refused.`,
      `Set max_client_conn to ${wanted + 10} or more, and more for processes on other machines.`,
    );
  }
  if (mode === 'session' && poolSize < wanted) {
    return warning(
      `${message}, but in session mode web processes and a worker here need up to ${wanted} connections of the pool: some wait.`,
      `Set default_pool_size to ${wanted} or more, or use transaction mode with REDIS_URL.`,
    );
  }
  return ok(`${message}.`);
}
