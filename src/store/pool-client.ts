import { Client } from 'pg';

type QueryCallback = (error: Error | null | undefined, result: unknown) => void;

/** What knex looks at before it hands out a connection again. */
interface Disposable {
  __knex__disposed?: unknown;
}

interface Backend {
  /** As reported when the connection was made. */
  processID?: number | null;
}

/**
 * A connection that is never used again after a statement on it timed out, or after its server turned read-only. pg gives
 * up waiting but leaves the statement running and its transaction open: whatever shares the connection next would land in
 * that transaction, look committed, and be rolled back with it.
 */
export class PoolClient extends Client {
  /** When the server last answered on this connection, by `performance.now()`. */
  answeredAt = performance.now();
  /** False where a pooler may answer each transaction on another connection of the server. */
  keepsPreparedStatements = false;

  // oxlint-disable-next-line typescript/no-explicit-any -- pg declares nine overloads of one function
  override query(...args: any[]): any {
    const callback = args.at(-1) as unknown;
    if (typeof callback === 'function') {
      args[args.length - 1] = (error: Error | null | undefined, result: unknown) => {
        this.#settled(error);
        (callback as QueryCallback)(error, result);
      };
      return this.#send(args);
    }
    const result = this.#send(args);
    if (!(result instanceof Promise)) return result;
    return result.then(
      (value: unknown) => {
        this.#settled(undefined);
        return value;
      },
      (error: Error) => {
        this.#settled(error);
        throw error;
      },
    );
  }

  /** Applies server settings to this session, and finds out whether the server itself is at the other end. */
  configure(settings: Record<string, number>, done: (error: Error | null) => void): void {
    // As a statement, because PgBouncer refuses them as connection parameters.
    const values = Object.entries(settings).map(
      ([name, value]) => `set_config('${name}', '${value}', false)`,
    );
    const text = `SELECT pg_backend_pid() AS pid, ${values.join(', ')}`;
    this.query(text, (error: Error | null, result: { rows: { pid: number }[] } | undefined) => {
      // A pooler reports a process ID of its own.
      this.keepsPreparedStatements = result?.rows[0]?.pid === (this as Backend).processID;
      done(error);
    });
  }

  #send(args: unknown[]): unknown {
    return (super.query as (...values: unknown[]) => unknown).apply(this, args);
  }

  #settled(error: Error | null | undefined): void {
    if (error && isFatalForConnection(error)) this.#drop(error);
    else this.answeredAt = performance.now();
  }

  #drop(reason: Error): void {
    // oxlint-disable-next-line no-underscore-dangle -- knex's name
    (this as Disposable).__knex__disposed = reason;
    // Not `end`: that waits for a server that may be gone. The server rolls back when it sees the connection closed.
    this.connection.stream.destroy();
    this.emit('dropped');
  }
}

export const readTimeoutMessage = 'Query read timeout';
const readOnlyTransaction = '25006';

function isFatalForConnection(error: Error & { code?: unknown }): boolean {
  return error.message === readTimeoutMessage || error.code === readOnlyTransaction;
}
