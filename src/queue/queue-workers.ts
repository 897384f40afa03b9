import type { Log } from '../telemetry/log.ts';
import { isOnRedis, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { hasJobs } from './queue-keys.ts';
import {
  type JobHandler,
  openQueueWorker,
  type QueueWorker,
  type QueueWorkerOptions,
} from './queue-worker.ts';
import { queuesBeyond, queuesFor } from './queues.ts';
import { leftOver } from './queues-in-use.ts';
import { closeRedis, openRedisOnce } from './redis-client.ts';

const findEveryMs = 60_000;

/**
 * A worker for each queue that jobs of this kind are spread over. While processes with a higher SCAN_QUEUES run, and after
 * it was lowered, there are jobs in queues beyond: they are looked for every minute, and worked off as well.
 */
export function openQueueWorkers(
  place: QueuePlace,
  kind: QueueDefinition,
  handle: JobHandler<unknown>,
  log: Log,
  options?: QueueWorkerOptions,
): QueueWorker {
  const open = (queue: QueueDefinition) => openQueueWorker(place, queue, handle, log, options);
  const workers = new Map(queuesFor(kind, place).map((queue) => [queue.name, open(queue)]));
  let isClosing = false;

  async function openForLeftOver(): Promise<void> {
    for (const queue of await findLeftOver(kind, place)) {
      if (workers.has(queue.name) || isClosing) continue;
      log.warn({ queue: queue.name }, 'a queue beyond SCAN_QUEUES has jobs: they are worked off');
      workers.set(queue.name, open(queue));
    }
  }
  const find = () =>
    void openForLeftOver().catch((err: unknown) =>
      log.debug({ err }, 'queues beyond SCAN_QUEUES could not be looked for'),
    );
  const finding = queuesBeyond(kind, place).length > 0 ? setInterval(find, findEveryMs).unref() : undefined;
  if (finding) find();

  return {
    async close() {
      isClosing = true;
      clearInterval(finding);
      await Promise.all([...workers.values()].map((worker) => worker.close()));
    },
  };
}

async function findLeftOver(kind: QueueDefinition, place: QueuePlace): Promise<QueueDefinition[]> {
  if (!isOnRedis(place)) return [];
  const redis = openRedisOnce(place);
  redis.on('error', () => undefined); // the command is rejected as well
  try {
    await redis.connect();
    return await leftOver(kind, place, (queue) => hasJobs(redis, place.redisUrl, queue));
  } finally {
    closeRedis(redis);
  }
}
