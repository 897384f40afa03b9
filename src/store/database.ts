import knex, { type Knex } from 'knex';
import pg, { type QueryResultRow, types } from 'pg';
import { PoolClient } from './pool-client.ts';

export type Database = Knex;

const oid = { int8: 20, date: 1082 } as const;

/** pg's own parsers turn a DATE into a local midnight and a bigint into a string; ours keep the day and count. */
const parsers = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    if (type === oid.int8) return Number;
    if (type === oid.date) return String;
    return types.getTypeParser(type, format);
  },
};

interface DatabaseOptions {
  poolMax: number;
  applicationName: string;
  /** How long a statement may take, the wait for a server that hangs included. */
  queryTimeoutMs?: number;
  lockTimeoutMs?: number;
  idleInTransactionTimeoutMs?: number;
}

const connectTimeoutMs = 3_000;
const keepAliveDelayMs = 10_000;

export function openDatabase(
  url: string,
  {
    poolMax,
    applicationName,
    queryTimeoutMs = 10_000,
    lockTimeoutMs = 5_000,
    idleInTransactionTimeoutMs = 15_000,
  }: DatabaseOptions,
): Database {
  let droppedAt = Number.NEGATIVE_INFINITY;
  const timeouts = {
    // The server gives up first, where it is alive: a statement that nobody waits for must not go on.
    statement_timeout: Math.ceil(queryTimeoutMs * 0.9),
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  };
  const db = knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      types: parsers,
      connectionTimeoutMillis: connectTimeoutMs,
      // Kept by the client, against a server that hangs or a network that drops packets.
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
    } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: poolMax,
      afterCreate(connection: PoolClient, done: (error: Error | null, connection: PoolClient) => void) {
        connection.once('dropped', () => {
          droppedAt = performance.now();
        });
        connection.configure(timeouts, (error) => done(error, connection));
      },
      // Where one connection was lost without a word, the idle ones may be lost as well.
      validate: (connection: PoolClient) => connection.answeredAt > droppedAt,
    },
    acquireConnectionTimeout: 5_000,
    // What it would print are failures that whoever asked is told of anyway.
    log: { warn: () => undefined, error: () => undefined },
    // Otherwise knex writes the bound values into the error message, and so into the log.
    compileSqlOnError: false,
  });
  // Read when a connection is made; the pool is empty so far.
  (db.client as { driver: unknown }).driver = { ...pg, Client: PoolClient };
  return db;
}

export interface PreparedStatement {
  name: string;
  /** With `$1`, `$2` … for the values. */
  text: string;
}

/** For a statement asked hundreds of times a second: each connection has it parsed and planned once. */
export async function queryPrepared<Row>(
  db: Database,
  statement: PreparedStatement,
  values: unknown[],
): Promise<Row[]> {
  const client = db.client as Knex.Client;
  const connection = (await client.acquireConnection()) as PoolClient;
  try {
    const { name, text } = statement;
    const query = connection.keepsPreparedStatements ? { name, text, values } : { text, values };
    const { rows } = (await connection.query(query)) as { rows: (Row & QueryResultRow)[] };
    return rows;
  } finally {
    await client.releaseConnection(connection);
  }
}

const unavailableCodes = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '25006', // read-only: no longer the primary
  '55P03', // a lock was not available in time
]);

/** Connection lost (08), deadlock or serialization failure (40), out of resources (53), canceled or shutting down (57), I/O error (58). */
const unavailableClasses = /^(?:08|40|53|57|58)[0-9A-Z]{3}$/;

/** PostgreSQL's code of an error, where it has one. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Objection wraps what pg threw.
  if ('nativeError' in error) return sqlState(error.nativeError);
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What PostgreSQL said, without the statement that knex puts before it. */
export function plainMessage(error: Error): string {
  return error.message.slice(error.message.lastIndexOf(' - ') + 1).replace(/^- /, '');
}

/** True where the database could not do it now, so that the same request may succeed a little later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = sqlState(error) ?? '';
  return (
    unavailableCodes.has(code) ||
    unavailableClasses.test(code) ||
    error.name === 'KnexTimeoutError' ||
    /Connection terminated|Query read timeout|timeout expired|Unable to acquire a connection|not queryable/.test(
      error.message,
    )
  );
}
