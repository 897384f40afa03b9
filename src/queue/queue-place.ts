import type { Config } from '../config.ts';
import type { QueuePlace } from './queue-connection.ts';

/** Where the configuration says that the queues live. */
export function queuePlace(config: Config, databaseUrl: string): QueuePlace {
  const { redisUrl, redisCaFile, scanQueues } = config;
  return { redisUrl, redisCaFile, scanQueues, databaseUrl };
}
