import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { connectToQueues, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { countPending, type QueueDepth, queueDepth } from './queue-depth.ts';
import { allQueues } from './queues.ts';
import { scanQueue } from './scan-queue.ts';
import { monitorWrites } from './write-monitor.ts';

/** Adds jobs to any queue, on one connection, and reads how full the queues are. The same on both engines. */
export interface QueueClient {
  /** False when it is known that `add` would fail now. */
  isReady(): boolean;
  /** Resolves when the queue has the job. */
  add<Data>(queue: QueueDefinition<Data>, data: Data): Promise<unknown>;
  /** Rejects, with the reason, when the queue takes no writes. */
  checkWrites(): Promise<void>;
  /** Unfinished jobs: waiting, active or delayed. The next job of a schedule is one of them when it is due. */
  pending(queue: QueueDefinition): Promise<number>;
  depths(): Promise<QueueDepth[]>;
  close(): Promise<void>;
}

interface QueueClientOptions {
  place: QueuePlace;
  log: Log;
  queues?: readonly QueueDefinition[];
  onReadinessChange?: (isReady: boolean) => void;
}

const closeTimeoutMs = 2_000;

export function openQueueClient({
  place,
  log,
  queues = allQueues,
  onReadinessChange = () => undefined,
}: QueueClientOptions): QueueClient {
  const connection = connectToQueues(place, log, () => writes.connectionChanged());
  const writes = monitorWrites({
    write: async () => connection.write(scanQueue),
    isConnected: connection.isReady,
    onReadinessChange,
    log,
  });
  return {
    isReady: writes.isReady,
    add: (queue, data) =>
      writes.monitor(async () => connection.queue<unknown>(queue).add(queue.jobName, data)),
    checkWrites: writes.check,
    pending: async (queue) => countPending(connection.queue(queue)),
    async depths() {
      const depths: QueueDepth[] = [];
      // One after the other: on Postgres there are few connections, and redirects wait for them.
      for (const queue of queues) depths.push(await queueDepth(connection.queue(queue)));
      return depths;
    },
    async close() {
      writes.stop();
      // A server that hangs must not delay us: the spool has whatever it did not acknowledge.
      await withTimeout(closeTimeoutMs, connection.close()).catch(() => undefined);
    },
  };
}
