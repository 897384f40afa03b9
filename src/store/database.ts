import { setTimeout as sleep } from 'node:timers/promises';
import knex from 'knex';
import type { Knex } from 'knex';
import pg, { type QueryResultRow, types } from 'pg';
import { SetupError } from '../errors.ts';
import { nameActors } from './actor.ts';
import { connectionOptions, PoolClient } from './pool-client.ts';
import { NoPrimaryError } from './primary-search.ts';
import { tlsError } from './database-url.ts';

export type Database = Knex;

const oid = { int8: 20, date: 1082 } as const;

/** pg parses a DATE as local midnight and a bigint as a string. We want the day as text and the count as a number. */
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
  /** How long a statement may take, including the wait for a server that hangs. 0: no limit. */
  queryTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** How long a statement waits for a connection of the pool. */
  acquireTimeoutMs?: number;
  /**
   * False: the server has no timeouts of ours. Behind a pooler in transaction mode they stay on a connection that others
   * use too, so only connections with the usual timeouts may set them.
   */
  serverTimeouts?: boolean;
  lockTimeoutMs?: number;
  /** A connection stays open however long it is idle, so that the first statement after that does not wait for one. */
  keepsOne?: boolean;
  idleInTransactionTimeoutMs?: number;
  /** A connection on which the server responded this recently is used without being checked. */
  trustedForMs?: number;
}

const keepAliveDelayMs = 10_000;
/** How often a pool looks for connections that have been idle for half a minute. */
const reapEveryMs = 10_000;

export function openDatabase(
  url: string,
  {
    poolMax,
    applicationName,
    queryTimeoutMs = 10_000,
    connectTimeoutMs = 3_000,
    acquireTimeoutMs = 5_000,
    serverTimeouts = true,
    lockTimeoutMs = 5_000,
    keepsOne = false,
    idleInTransactionTimeoutMs = 15_000,
    trustedForMs = 2_000,
  }: DatabaseOptions,
): Database {
  let droppedAt = Number.NEGATIVE_INFINITY;
  const timeouts = {
    // Slightly shorter than ours, so that the server cancels a statement that nobody waits for any more.
    statement_timeout: Math.ceil(queryTimeoutMs * 0.9),
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  };
  const db = knex({
    client: 'pg',
    connection: {
      ...connectionOptions(url),
      application_name: applicationName,
      types: parsers,
      connectionTimeoutMillis: connectTimeoutMs,
      // Enforced by the client, for a server that hangs or a network that drops packets.
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
    } as Knex.PgConnectionConfig,
    pool: {
      min: keepsOne ? 1 : 0,
      max: poolMax,
      reapIntervalMillis: reapEveryMs,
      afterCreate(connection: PoolClient, done: (error: Error | null, connection: PoolClient) => void) {
        connection.once('dropped', () => {
          droppedAt = performance.now();
        });
        connection.configure(serverTimeouts ? timeouts : {}, (error) => done(error, connection));
      },
      // When one connection has been lost silently, the idle ones may be lost too.
      validate: async (connection: PoolClient) =>
        connection.respondedAt > droppedAt &&
        (performance.now() - connection.respondedAt < trustedForMs || (await connection.responds())),
    },
    acquireConnectionTimeout: acquireTimeoutMs,
    // Silenced, because the caller gets these errors anyway.
    log: { warn: () => undefined, error: () => undefined },
    // Otherwise knex puts the bound values into the error message, and so into the log.
    compileSqlOnError: false,
  });
  // knex reads the driver when it opens a connection, and none is open yet.
  (db.client as { driver: unknown }).driver = { ...pg, Client: PoolClient };
  nameActors(db);
  return db;
}

/** An open transaction needs no savepoint: an error ends it anyway. A change of what the history records needs one: see actor.ts. */
export async function inTransaction<Value>(
  db: Database,
  work: (transaction: Database) => Promise<Value>,
): Promise<Value> {
  return db.isTransaction ? work(db) : db.transaction(work);
}

export interface PreparedStatement {
  name: string;
  /** With `$1`, `$2` … as placeholders. */
  text: string;
}

/** For statements that run hundreds of times a second: each connection parses and plans them once. */
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

/** The SQLSTATE of an error, if it has one. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Objection wraps what pg threw.
  if ('nativeError' in error) return sqlState(error.nativeError);
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A statement took longer than its connection allows: the database works, and others may succeed. */
export function isQueryCanceled(error: unknown): boolean {
  return sqlState(error) === '57014';
}

/** Wrong password or role (class 28), or no such database. */
export function isLoginRefused(code: string): boolean {
  return code.startsWith('28') || code === '3D000';
}

/** PostgreSQL's message without the statement that knex puts in front of it. */
export function plainMessage(error: Error): string {
  return error.message.slice(error.message.lastIndexOf(' - ') + 1).replace(/^- /, '');
}

/** True where the server is gone or refuses connections, not where it canceled a statement. */
export function isServerLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    /^(?:E[A-Z_]{3,}|08[0-9A-Z]{3}|57P0[0-9])$/.test(sqlState(error) ?? '') ||
    /Connection terminated|timeout expired|not queryable/.test(error.message)
  );
}

/** True for a temporary failure: the same request may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = sqlState(error) ?? '';
  return (
    unavailableCodes.has(code) ||
    unavailableClasses.test(code) ||
    error.name === 'KnexTimeoutError' ||
    error instanceof NoPrimaryError ||
    /Connection terminated|Query read timeout|timeout expired|Unable to acquire a connection|not queryable/.test(
      error.message,
    )
  );
}

/** The message for an error that an operator can fix; undefined for a bug. */
export function setupErrorMessage(error: unknown): string | undefined {
  if (error instanceof SetupError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const code = sqlState(error) ?? '';
  const tls = tlsError(error);
  if (tls) return `The database is not trusted: ${tls.reason}. ${tls.remedy}`;
  if (isDatabaseUnavailable(error)) {
    return `The database cannot be reached (${code || plainMessage(error)}). Start it, or set DATABASE_URL to a running server.`;
  }
  if (isLoginRefused(code)) return `The database rejects DATABASE_URL: ${plainMessage(error)}.`;
  if (code === '42P01')
    return 'The database has not been migrated. Run `node dist/src/cli.js migrate` first.';
  return undefined;
}

/** A minute in all. */
const delaysMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** For what must be stored because it cannot be undone, such as that a mail was sent: tries again while the database is away. */
export async function retryUnavailable(work: () => Promise<void>): Promise<void> {
  for (const delayMs of delaysMs) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await sleep(delayMs);
    }
  }
  return work();
}

/** The time of the database, which all workers share. In a transaction: when it began. */
export async function readClock(db: Database): Promise<Date> {
  const { rows } = (await db.raw('SELECT now() AS now')) as { rows: [{ now: Date }] };
  return rows[0].now;
}
