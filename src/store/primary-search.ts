import type { Socket } from 'node:net';
import { Client } from 'pg';
import { joinCalls } from '../runtime/once.ts';
import { serverNames, tlsError } from './database-url.ts';

/** How long a server counts as the primary without being asked again. */
const confirmedMs = 1_000;
/** How long the last known primary is asked before the others are. */
const headStartMs = 1_000;
const probeTimeoutMs = 2_000;

export interface ServerAddress {
  host: string;
  port: number;
}

/** Finds, among several servers, the one that accepts writes, as libpq does for `target_session_attrs=read-write`. */
export interface PrimarySearch {
  find(): Promise<ServerAddress>;
  /** To be called when the server that was found cannot be used: the next `find` asks again. */
  forget(): void;
}

/** No server accepts writes now. */
export class NoPrimaryError extends Error {
  override name = 'NoPrimaryError';
}

/**
 * A closure, because knex copies the options of a connection. The servers are asked over connections of their own: a
 * client of pg cannot be connected a second time.
 */
export function createPrimarySearch(urls: string[]): PrimarySearch {
  let current: { url: string; address: ServerAddress } | undefined;
  let confirmedAt = Number.NEGATIVE_INFINITY;

  async function search(): Promise<ServerAddress> {
    const known = current?.url;
    if (known !== undefined) {
      // A primary that still answers is kept, even if another server claims to be one.
      const isConfirmed = await probe(known, headStartMs).then(
        (address) => confirm(known, address),
        () => undefined,
      );
      if (isConfirmed) return isConfirmed;
      current = undefined;
    }
    try {
      return await Promise.any(urls.map(async (url) => confirm(url, await probe(url, probeTimeoutMs))));
    } catch (error) {
      throw explain(urls, (error as AggregateError).errors as Error[]);
    }
  }

  function confirm(url: string, address: ServerAddress): ServerAddress {
    // The first of two answers counts.
    current ??= { url, address };
    confirmedAt = performance.now();
    return current.address;
  }

  const searchOnce = joinCalls(search);

  return {
    async find() {
      if (current && performance.now() - confirmedAt < confirmedMs) return current.address;
      return searchOnce();
    },
    forget() {
      confirmedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

class ReadOnlyServer extends Error {}

/** Rejects for a server that cannot be reached or accepts no writes. */
async function probe(connectionString: string, timeoutMs: number): Promise<ServerAddress> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'qrelay server search',
  });
  client.on('error', () => undefined); // the statement is rejected as well
  try {
    await client.connect();
    const { rows } = await client.query<{ isReadOnly: boolean }>(
      `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly"`,
    );
    if (rows[0]?.isReadOnly !== false) throw new ReadOnlyServer();
    return { host: client.host, port: client.port };
  } finally {
    // Not awaited, because a server that hangs would not answer.
    client.end().catch(() => undefined);
    (client.connection.stream as Socket).unref();
  }
}

/** An error that only the operator can fix, such as a wrong password, is reported as it is. */
function explain(urls: string[], errors: Error[]): Error {
  const reasons = errors.map((error, index) => {
    const { code } = error as NodeJS.ErrnoException;
    const reason = error instanceof ReadOnlyServer ? 'is read-only' : `failed (${code || error.message})`;
    return `${serverNames(urls[index] ?? '')} ${reason}`;
  });
  const permanent = errors.find(
    (error) => tlsError(error) || /^(?:28|3D)/.test((error as NodeJS.ErrnoException).code ?? ''),
  );
  return permanent ?? new NoPrimaryError(`No server accepts writes: ${reasons.join(', ')}`);
}
