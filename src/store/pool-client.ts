import { callbackify } from 'node:util';
import { Client, type ClientConfig, type QueryConfig } from 'pg';
import { needsPrimarySearch, splitHosts } from './database-url.ts';
import { createPrimarySearch, type PrimarySearch } from './primary-search.ts';

type ConnectCallback = (error: Error | null) => void;
type QueryCallback = (error: Error | null | undefined, result: unknown) => void;

/** knex does not reuse a connection on which this is set. */
interface Disposable {
  __knex__disposed?: unknown;
}

interface Backend {
  /** As reported when the connection was opened. */
  processID?: number | null;
}

/**
 * A connection that is discarded after a statement on it timed out, or after its server became read-only. pg stops
 * waiting but leaves the statement running and its transaction open: the next user of the connection would write into
 * that transaction, see it succeed, and lose it in the rollback.
 */
export class PoolClient extends Client {
  /** When the server last responded on this connection, by `performance.now()`. */
  respondedAt = performance.now();
  /** False behind a pooler, which may run each transaction on another server connection. */
  keepsPreparedStatements = false;
  /** Where the URL names several hosts: which one to connect to is decided when connecting. */
  readonly #primary: PrimarySearch | undefined;
  #isEnded = false;

  constructor(options?: ClientConfig & Partial<ConnectionOptions>) {
    super(options);
    this.#primary = options?.primary;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- pg declares it with and without a callback
  override connect(...args: any[]): any {
    if (!this.#primary) return (super.connect as (...values: unknown[]) => unknown).apply(this, args);
    const [callback] = args as [ConnectCallback | undefined];
    const connect = () => this.#connectToPrimary();
    return callback ? callbackify(connect)(callback) : connect();
  }

  async #connectToPrimary(): Promise<this> {
    const { host = this.host, port = this.port } = (await this.#primary?.find()) ?? {};
    // Its pool has given up on this connection in the meantime.
    if (this.#isEnded || this.connection.stream.destroyed) throw new Error('Connection terminated');
    this.host = host;
    this.port = port;
    try {
      await super.connect();
    } catch (error) {
      this.#primary?.forget();
      throw error;
    }
    return this;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  override end(...args: any[]): any {
    this.#isEnded = true;
    return (super.end as (...values: unknown[]) => unknown).apply(this, args);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- pg declares nine overloads of one function
  override query(...args: any[]): any {
    const callback = args.at(-1) as unknown;
    if (typeof callback === 'function') {
      args[args.length - 1] = (error: Error | null | undefined, result: unknown) => {
        this.#onSettled(error);
        (callback as QueryCallback)(error, result);
      };
      return this.#send(args);
    }
    const result = this.#send(args);
    if (!(result instanceof Promise)) return result;
    return result.then(
      (value: unknown) => {
        this.#onSettled(undefined);
        return value;
      },
      (error: Error) => {
        this.#onSettled(error);
        throw error;
      },
    );
  }

  /** Applies session settings, and detects whether the other end is the server itself or a pooler. */
  configure(settings: Record<string, number>, done: (error: Error | null) => void): void {
    // As a statement, because PgBouncer rejects them as connection parameters.
    const values = Object.entries(settings).map(
      ([name, value]) => `set_config('${name}', '${value}', false)`,
    );
    const text = `SELECT ${['pg_backend_pid() AS pid', ...values].join(', ')}`;
    this.query(text, (error: Error | null, result: { rows: { pid: number }[] } | undefined) => {
      // A pooler reports a process ID of its own.
      this.keepsPreparedStatements = result?.rows[0]?.pid === (this as Backend).processID;
      done(error);
    });
  }

  /** Whether the server still responds. While it hangs, its kernel keeps the connection open, so only a statement shows it. */
  async responds(): Promise<boolean> {
    try {
      await this.query({ text: 'SELECT 1', query_timeout: probeTimeoutMs } as QueryConfig);
      return true;
    } catch {
      return false;
    }
  }

  #send(args: unknown[]): unknown {
    return (super.query as (...values: unknown[]) => unknown).apply(this, args);
  }

  #onSettled(error: Error | null | undefined): void {
    if (error && isFatalForConnection(error)) this.#drop(error);
    else this.respondedAt = performance.now();
  }

  #drop(reason: Error): void {
    // oxlint-disable-next-line no-underscore-dangle -- knex's name
    (this as Disposable).__knex__disposed = reason;
    // Not `end`, which waits for a server that may be gone. The server rolls back when the connection closes.
    this.connection.stream.destroy();
    this.#primary?.forget();
    this.emit('dropped');
  }
}

/** Leaves time for a new connection before the wait for one ends. */
const probeTimeoutMs = 1_500;
const readTimeoutMessage = 'Query read timeout';
const readOnlyTransaction = '25006';

function isFatalForConnection(error: Error & { code?: unknown }): boolean {
  return error.message === readTimeoutMessage || error.code === readOnlyTransaction;
}

interface ConnectionOptions {
  connectionString: string;
  /** For `PoolClient`, which then connects to the server that is found. */
  primary?: PrimarySearch;
}

/** What every connection to DATABASE_URL is opened with; the URL may name several hosts. */
export function connectionOptions(databaseUrl: string): ConnectionOptions {
  const urls = splitHosts(databaseUrl);
  const [connectionString = databaseUrl] = urls;
  return needsPrimarySearch(databaseUrl)
    ? { connectionString, primary: createPrimarySearch(urls) }
    : { connectionString };
}
