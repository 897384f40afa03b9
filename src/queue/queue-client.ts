import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { connectToQueues, isOnRedis, type QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { countPending, type QueueDepth, readDepths, readDepthsOfReachable } from './queue-depth.ts';
import { jobIdOf, type ScanJob } from './scan-jobs.ts';
import { allQueues, queuesFor } from './queues.ts';
import { queuesInUse } from './queues-in-use.ts';
import { scanQueue } from './scan-queue.ts';
import { spreadWrites } from './spread-writes.ts';

/** Adds jobs to any queue, on one connection, and reads how full the queues are. The same on both engines. */
export interface QueueClient {
  /** False when it is known that `add` would fail now. */
  isReady(): boolean;
  /** Resolves when the queue, or one of those that its jobs are spread over, has the job. */
  add<Data>(queue: QueueDefinition<Data>, data: Data): Promise<unknown>;
  /** Rejects, with the reason, when a queue for scans takes no writes. */
  checkWrites(): Promise<void>;
  /** Unfinished jobs: waiting, active or delayed, in all the queues that these jobs are spread over. The next job of a schedule is one of them when it is due. */
  pending(queue: QueueDefinition): Promise<number>;
  depths(): Promise<QueueDepth[]>;
  /** Whether one of the queues for scans has each of these jobs, in any state. On Redis only. */
  hasScanJobs(ids: string[]): Promise<boolean[]>;
  close(): Promise<void>;
}

interface QueueClientOptions {
  place: QueuePlace;
  log: Log;
  queues?: readonly QueueDefinition[];
  onReadinessChange?: (isReady: boolean) => void;
  /** Called with the time that each write to a queue for scans took until it was acknowledged. */
  onRoundTrip?: ((ms: number) => void) | undefined;
  /** Jobs of scans get ids that `hasScanJobs` can look for. */
  identifyScanJobs?: boolean;
}

const closeTimeoutMs = 2_000;
/** How often queues beyond SCAN_QUEUES are looked for. */
const findEveryMs = 30_000;

export function openQueueClient({
  place,
  log,
  queues = allQueues,
  onReadinessChange = () => undefined,
  onRoundTrip = () => undefined,
  identifyScanJobs = false,
}: QueueClientOptions): QueueClient {
  const connection = connectToQueues(place, log, () => scans.connectionChanged());
  const add = async (queue: QueueDefinition, data: unknown) =>
    connection.queue(queue).add(queue.jobName, data);
  const addScans = async (queue: QueueDefinition, data: unknown) =>
    connection.queue(queue).add(queue.jobName, data, { jobId: jobIdOf(data as ScanJob) });
  const scans = spreadWrites({
    queues: queuesFor(scanQueue, place),
    add: identifyScanJobs ? addScans : add,
    write: async (queue) => connection.write(queue),
    isConnected: connection.isReady,
    onReadinessChange,
    onRoundTrip,
    log,
  });
  async function pending(queue: QueueDefinition): Promise<number> {
    let jobs = 0;
    for (const one of queuesFor(queue, place)) jobs += await countPending(connection.queue(one));
    return jobs;
  }
  let inUse = queues.flatMap((queue) => queuesFor(queue, place));
  let foundAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  return {
    isReady: scans.isReady,
    add(queue, data) {
      // On PostgreSQL it would wait for ever.
      if (isClosed) return Promise.reject(new Error('The queue client is closed'));
      return queue.name === scanQueue.name ? scans.add(data) : add(queue, data);
    },
    checkWrites: scans.check,
    pending,
    async depths() {
      if (!isOnRedis(place)) return readDepths(connection, queues);
      if (performance.now() - foundAt > findEveryMs) {
        foundAt = performance.now();
        inUse = await queuesInUse(queues, place, connection.hasJobs);
      }
      return readDepthsOfReachable(connection, inUse);
    },
    async hasScanJobs(ids) {
      const inEach = await Promise.all(
        queuesFor(scanQueue, place).map((queue) => connection.hasJobIds(queue, ids)),
      );
      return ids.map((_, index) => inEach.some((found) => found[index]));
    },
    async close() {
      isClosed = true;
      scans.stop();
      // A server that hangs must not delay us: the spool has whatever it did not acknowledge.
      await withTimeout(closeTimeoutMs, connection.close()).catch(() => undefined);
    },
  };
}
