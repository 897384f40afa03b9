import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { redisAddress, type RedisAddress } from '../store/redis-address.ts';
import { needsNewConnection } from './redis-errors.ts';
import { ReliableSentinelConnector } from './sentinel-connector.ts';

export type RedisClient = Redis | Cluster;

/** What the place of the queues says about Redis. */
export interface RedisPlace {
  redisUrl: string;
  redisCaFile?: string | undefined;
}

const timeoutMs = 3_000;
/** A node that hangs sends no redirection to the node that took over. Each refresh opens a connection. */
const slotsRefreshMs = 2_000;
/** A worker process has two clients for each queue. */
const workerSlotsRefreshMs = 5_000;
const retryDelayMs = (times: number) => Math.min(times * 50, 500);

/** For adding and reading jobs: a command fails soon instead of waiting for a server that is down. */
export function openRedis(place: RedisPlace): RedisClient {
  return open(place, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // Without it, a server that hangs is waited for indefinitely. A command that timed out may still be executed.
    commandTimeout: timeoutMs,
    retryStrategy: retryDelayMs,
    reconnectOnError: needsNewConnection,
    // About a quarter of a second, half of it for redirections to the node that is down.
    cluster: { maxRedirections: 5 },
  });
}

/** For BullMQ's workers: a command waits until the server is back. */
export function openRedisForWorker(place: RedisPlace): RedisClient {
  return open(place, {
    maxRetriesPerRequest: null,
    reconnectOnError: needsNewConnection,
    cluster: { slotsRefreshInterval: workerSlotsRefreshMs },
  });
}

const once = {
  lazyConnect: true,
  retryStrategy: null,
  maxRetriesPerRequest: 0,
  connectTimeout: timeoutMs,
  commandTimeout: timeoutMs,
};

/** For one look at the servers: connects when told to, and only once. */
export function openRedisOnce(place: RedisPlace): RedisClient {
  return open(place, {
    ...once,
    cluster: { clusterRetryStrategy: null, slotsRefreshTimeout: timeoutMs },
  });
}

/** For one look at a server, or a sentinel, that REDIS_URL names. */
export function openRedisServer(place: RedisPlace, server: { host: string; port: number }): Redis {
  const address = redisAddress(place.redisUrl);
  const { sentinelUsername, sentinelPassword } = address.primary;
  const login =
    address.kind === 'sentinel' ? { username: sentinelUsername, password: sentinelPassword } : address;
  return new Redis({ ...once, ...connectionOptions(place, { ...address, ...login }), ...server });
}

/** Drops the connections, and what is still on its way. */
export function closeRedis(client: RedisClient): void {
  // A TLS connection that is closed while it rejects a certificate emits a second error, and ioredis listens for one.
  const { stream } = client as { stream?: Socket };
  stream?.on('error', () => undefined);
  client.disconnect();
}

type ServerOptions = Omit<RedisOptions, 'replyMapping'>;
type Options = ServerOptions & { cluster: Omit<ClusterOptions, 'redisOptions'> };

/** The only place that turns REDIS_URL into a connection. */
function open(place: RedisPlace, { cluster, ...given }: Options): RedisClient {
  const address = redisAddress(place.redisUrl);
  const options = { ...given, ...connectionOptions(place, address) };
  if (address.kind === 'cluster') return openCluster(address, options, cluster);
  const servers: ServerOptions =
    address.kind === 'sentinel' ? sentinelOptions(address, options) : { ...address.hosts[0] };
  return new Redis({ ...options, db: address.database, ...servers });
}

function connectionOptions({ redisCaFile }: RedisPlace, address: RedisAddress): ServerOptions {
  const { tls, username, password, family } = address;
  return {
    ...(tls && { tls: redisCaFile ? { ca: readFileSync(redisCaFile) } : {} }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(family !== undefined && { family }),
  };
}

function openCluster(
  { hosts }: RedisAddress,
  { lazyConnect = false, ...redisOptions }: ServerOptions,
  options: Options['cluster'],
): Cluster {
  return new Cluster(hosts, {
    lazyConnect,
    redisOptions,
    slotsRefreshInterval: slotsRefreshMs,
    // The check asks any node. If that one hangs, `connect` never settles, and BullMQ's worker waits for it forever.
    enableReadyCheck: false,
    // Names are resolved when a node is connected: a certificate is valid for a name, not for its address.
    dnsLookup: (name, callback) => callback(null, name),
    ...options,
  });
}

function sentinelOptions(
  { hosts, primary }: RedisAddress,
  { retryStrategy, tls }: ServerOptions,
): ServerOptions {
  const { name, sentinelUsername, sentinelPassword } = primary;
  return {
    sentinels: hosts,
    name,
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: timeoutMs,
    sentinelRetryStrategy: retryStrategy === null ? () => null : retryDelayMs,
    // Sentinels announce a failover; the connection to a primary that hangs would stay open.
    failoverDetector: retryStrategy !== null,
    Connector: ReliableSentinelConnector,
  };
}
