import { DEFAULT_SCHEMA, type PgPool, runMigrations } from 'bullmq';
import { Pool } from 'pg';
import { connectionOptions, PoolClient } from '../store/pool-client.ts';
import type { QueuePlace } from './queue-connection.ts';

const queryTimeoutMs = 6_000;

function poolOptions(databaseUrl: string, applicationName: string, max: number) {
  return {
    ...connectionOptions(databaseUrl),
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 3_000,
    // As for our own statements: a query that hangs is abandoned, and its connection is not used again.
    Client: PoolClient,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    // Connections that were lost without a reset are gone by the time the server is back, and are not tried one by one.
    idleTimeoutMillis: 2_000,
  };
}

/** One pool for any number of queues; BullMQ would open one for each. */
export function openQueuePool(...parameters: Parameters<typeof poolOptions>): Pool & PgPool {
  const pool = new Pool({
    ...poolOptions(...parameters),
    // BullMQ's statements name no schema.
    options: `-c search_path="${DEFAULT_SCHEMA}"`,
  });
  // BullMQ adds a listener for each queue; Node would warn of a leak from the eleventh on.
  pool.setMaxListeners(0);
  return pool as Pool & PgPool;
}

/** Creates and updates the queue's own tables when it lives in Postgres. */
export async function migrateQueue(place: QueuePlace): Promise<void> {
  if (place.redisUrl) return;
  const client = new PoolClient(connectionOptions(place.databaseUrl));
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}
