import { redisAddress } from '../store/redis-address.ts';
import { closeRedis, openRedisServer, type RedisPlace } from './redis-client.ts';

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
