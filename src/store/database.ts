import knex, { type Knex } from 'knex';
import { type ClientBase, type QueryResultRow, types } from 'pg';

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
  queryTimeoutMs?: number;
}

export function openDatabase(
  url: string,
  { poolMax, applicationName, queryTimeoutMs = 15_000 }: DatabaseOptions,
): Database {
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      types: parsers,
      connectionTimeoutMillis: 5_000,
      // statement_timeout does not help against a server that hangs; this one is kept by the client.
      query_timeout: queryTimeoutMs,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolMax },
    acquireConnectionTimeout: 5_000,
    // What it would print are failures that whoever asked is told of anyway.
    log: { warn: () => undefined, error: () => undefined },
    // Otherwise knex writes the bound values into the error message, and so into the log.
    compileSqlOnError: false,
  });
}

interface PreparedStatement {
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
  const connection = (await client.acquireConnection()) as ClientBase;
  try {
    const { rows } = await connection.query<Row & QueryResultRow>({ ...statement, values });
    return rows;
  } finally {
    await client.releaseConnection(connection);
  }
}

const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P01', // the server is shutting down
  '57P02', // it crashed
  '57P03', // it is starting up
  '53300', // it has no connection left
]);

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

/** True where the database could not be asked, so that the same request may succeed a little later. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = sqlState(error) ?? '';
  return (
    unreachableCodes.has(code) ||
    code.startsWith('08') ||
    error.name === 'KnexTimeoutError' ||
    /Connection terminated|Query read timeout|timeout expired|Unable to acquire a connection/.test(
      error.message,
    )
  );
}
