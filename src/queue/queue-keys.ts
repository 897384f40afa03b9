import { redisAddress } from '../store/redis-address.ts';
import type { QueueDefinition } from './queue-definition.ts';
import type { RedisClient } from './redis-client.ts';

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
