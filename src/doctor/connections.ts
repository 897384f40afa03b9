import type { Config } from '../config.ts';
import { workerPoolSize } from '../queue/queue-definition.ts';
import { allQueues } from '../queue/queues.ts';
import { poolSizes } from '../store/pool-sizes.ts';

/** The most connections to PostgreSQL that a process opens for the queues when they are there. */
export const queueConnections = {
  web: poolSizes.web.queue + poolSizes.web.board,
  worker: allQueues.reduce((sum, queue) => sum + workerPoolSize(queue), 0),
};

/** The most connections that a web process, a worker, and all web processes here with one worker open. */
export function wantedConnections({ webConcurrency, redisUrl }: Pick<Config, 'webConcurrency' | 'redisUrl'>) {
  const { own, audit } = poolSizes.worker;
  const web = poolSizes.web.own + (redisUrl ? 0 : queueConnections.web);
  const worker = own + audit + (redisUrl ? 0 : queueConnections.worker);
  return { web, worker, all: webConcurrency * web + worker };
}
