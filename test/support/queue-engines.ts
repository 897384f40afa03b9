import { Redis } from 'ioredis';
import {
  connectToQueues,
  type QueueConnection,
  type QueuePlace,
  waitUntilReady,
} from '../../src/queue/queue-connection.ts';
import { servers } from './servers.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { testLog } from './test-log.ts';

/** Redis has sixteen databases, shared by mocha's workers: each takes every n-th. */
const workers = Number(process.env['TEST_WORKERS'] ?? 1);
const worker = Number(process.env['MOCHA_WORKER_ID'] ?? 0) % workers;
const databasesEach = Math.floor(16 / workers);
let taken = 0;

/** Runs the same tests with the queue on Postgres and on Redis; skipped, and counted as skipped, where there is no Redis. */
export function onBothQueues(title: string, tests: (redisUrl: () => string | undefined) => void): void {
  describe(`${title} (queue on Postgres)`, () => tests(() => undefined));
  describe(`${title} (queue on Redis)`, () => {
    let url: string | undefined;
    before(async function () {
      url = await emptyRedisDatabase();
      if (!url) return this.skip();
    });
    tests(() => url);
  });
}

/** The next database of the shared Redis, emptied: no test meets the jobs of another. Undefined where there is no Redis. */
export async function emptyRedisDatabase(): Promise<string | undefined> {
  const { redisUrl } = servers();
  if (!redisUrl) return undefined;
  const url = new URL(redisUrl);
  url.pathname = `/${worker + workers * ((taken += 1) % databasesEach)}`;
  const client = new Redis(url.href);
  await client.flushdb();
  client.disconnect();
  return url.href;
}

/** A database, and a connection to its queues, for the tests of a suite of `onBothQueues`. */
export function useQueues(redisUrl: () => string | undefined): {
  place(): QueuePlace;
  connection(): QueueConnection;
} {
  let database: TestDatabase;
  let place: QueuePlace;
  let connection: QueueConnection;

  before(async () => {
    database = await createTestDatabase();
    place = { databaseUrl: database.url, redisUrl: redisUrl() };
    connection = connectToQueues(place, testLog());
    await waitUntilReady(connection);
  });
  after(async () => {
    await connection?.close();
    await database?.drop();
  });
  return { place: () => place, connection: () => connection };
}
