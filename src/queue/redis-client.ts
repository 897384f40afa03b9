import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import {
  Cluster,
  type ClusterOptions,
  Redis,
  type RedisOptions,
  type SentinelConnectionOptions,
  SentinelConnector,
} from 'ioredis';
import { redisAddress, type RedisAddress } from '../store/redis-address.ts';
import type { QueueDefinition } from './queue-definition.ts';

export type RedisClient = Redis | Cluster;

/** Address and certificate authority of Redis. */
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

/**
 * Errors of a server that is no longer a primary. Its address may resolve to the new primary by now, but an open
 * connection never finds out. Errors from Lua scripts have the code somewhere in their message.
 */
function needsNewConnection({ message }: Error): boolean {
  return /\b(READONLY|MASTERDOWN|UNBLOCKED)\b/.test(message);
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

/** BullMQ's own default: jobs of earlier releases are there. */
const prefix = 'bull';
const jobLists = ['wait', 'active', 'delayed', 'prioritized', 'paused', 'failed'];

/**
 * What the keys of a queue start with. BullMQ's scripts use several keys of a queue at a time, which a Redis Cluster
 * allows only for keys of one slot: those with the same text in braces.
 */
export function queuePrefix(redisUrl: string, { name, hashTag = name }: QueueDefinition): string {
  return redisAddress(redisUrl).kind === 'cluster' ? `${prefix}:{${hashTag}}` : prefix;
}

/** Whether the queue has jobs, failed ones included. BullMQ would create the queue to find out. */
export async function hasJobs(
  redis: RedisClient,
  redisUrl: string,
  queue: QueueDefinition,
): Promise<boolean> {
  const start = `${queuePrefix(redisUrl, queue)}:${queue.name}`;
  return (await redis.exists(...jobLists.map((list) => `${start}:${list}`))) > 0;
}

/** Whether each of these keys exists. In a cluster, all must be of one slot. */
export async function hasKeys(redis: RedisClient, keys: string[]): Promise<boolean[]> {
  if (keys.length === 0) return [];
  // Most often all or none exist, and one command says so.
  const existing = await redis.exists(...keys);
  if (existing === 0 || existing === keys.length) return keys.map(() => existing > 0);
  const pipeline = redis.pipeline();
  for (const key of keys) pipeline.exists(key);
  const results = (await pipeline.exec()) ?? [];
  return keys.map((_, index) => {
    const [error, count] = results[index] ?? [new Error('Redis did not answer')];
    if (error) throw error;
    return count === 1;
  });
}

/** Private members of ioredis' class. */
interface Internals {
  failoverDetector: { cleanup(): void } | null;
  connectToSentinel(...args: unknown[]): Redis;
}

/** ioredis' connector, without two defects. */
export class ReliableSentinelConnector extends SentinelConnector {
  private readonly internals = this as unknown as Internals;

  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    const connectToSentinel = this.internals.connectToSentinel.bind(this);
    // Errors of a client without a listener go to stderr, and the one that waits for announcements has none.
    this.internals.connectToSentinel = (...args) => connectToSentinel(...args).on('error', () => undefined);
  }

  /**
   * Ignores announcements of a new primary from now on. They are meant for the previous connection; while a sentinel is
   * asked for the primary, one would close the client permanently.
   */
  override connect(
    ...args: Parameters<SentinelConnector['connect']>
  ): ReturnType<SentinelConnector['connect']> {
    this.internals.failoverDetector?.cleanup();
    return super.connect(...args);
  }
}
