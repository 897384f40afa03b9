import { redisAddress } from '../store/redis-address.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import { closeRedis, openRedisServer, type RedisPlace } from './redis-client.ts';

const pauseMs = 30_000;

/** Throttled, because reconnecting to a server that is down fails several times a second. */
export function logConnectionErrors(log: Log, redis?: RedisPlace): (err: unknown) => void {
  function report(err: unknown, times: number): void {
    const tls = tlsFailure(err);
    log.warn(
      { err, times },
      tls
        ? `the connection to the queue failed: ${tls.reason}. ${tls.remedy}`
        : 'the connection to the queue failed; retrying',
    );
  }
  async function reportCause(given: unknown, times: number): Promise<void> {
    const cause = redis && given instanceof Error ? await findCause(redis, given) : given;
    report(cause, times);
  }
  return throttle((err, times) => void reportCause(err, times), { pauseMs });
}

/**
 * Why the servers that REDIS_URL names do not respond, in order. For a cluster and for sentinels the client says only
 * that a connection was closed.
 */
export async function probeServers(place: RedisPlace): Promise<{ server: string; error?: Error }[]> {
  return Promise.all(
    redisAddress(place.redisUrl).hosts.map(async (host) => {
      const server = `${host.host}:${host.port}`;
      const error = await probe(place, host).catch((reason: unknown) => reason as Error);
      return { server, ...(error && { error }) };
    }),
  );
}

/**
 * Why a connection failed; never rejects. The client of a cluster or of sentinels often says no more than that it was closed: then the
 * servers are asked one by one.
 */
export async function findCause(place: RedisPlace, error: Error): Promise<Error> {
  const { lastNodeError } = error as { lastNodeError?: Error };
  const known = lastNodeError ?? error;
  if (redisAddress(place.redisUrl).kind === 'single' || !isVague(known)) return known;
  const servers = await probeServers(place);
  return servers.find((server) => server.error)?.error ?? known;
}

const isVague = ({ message }: Error) =>
  /^(Connection is closed|timeout|Command timed out|Failed to refresh slots|None of startup nodes|All sentinels)/.test(
    message,
  );

async function probe(place: RedisPlace, host: { host: string; port: number }): Promise<Error | undefined> {
  const connection = openRedisServer(place, host);
  // The reason arrives as an event; `connect` rejects only with "Connection is closed".
  let reason: Error | undefined;
  connection.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await connection.connect();
    await connection.ping();
    return undefined;
  } catch (error) {
    return reason ?? (error as Error);
  } finally {
    closeRedis(connection);
  }
}

interface TlsFailure {
  reason: string;
  remedy: string;
}

const untrusted: TlsFailure = {
  reason: 'the certificate of Redis is not trusted',
  remedy: 'Set REDIS_CA_FILE to a PEM file with the certificate of the authority that signed it.',
};
const outdated: TlsFailure = {
  reason: 'the certificate of Redis has expired or is not valid yet',
  remedy: 'Renew the certificate, or correct the clock of this machine.',
};
const byCode: Record<string, TlsFailure> = {
  CERT_HAS_EXPIRED: outdated,
  CERT_NOT_YET_VALID: outdated,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'the certificate of Redis is for another host',
    remedy:
      'Use a host name of the certificate in REDIS_URL. A cluster or sentinels must announce such names as well.',
  },
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_UNTRUSTED: untrusted,
};

/** What an operator can do about a connection that failed because of TLS. */
export function tlsFailure(error: unknown): TlsFailure | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return byCode[code];
}
