import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { type ExportJob, exportQueue } from './export-queue.ts';
import { type MailRequest, mailQueue, packMail } from './mail-queue.ts';
import { connectToQueues, type QueuePlace, queuesOnPool } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import type { WorkerPool } from './worker-pool.ts';

const timeoutMs = 5_000;

interface WorkerProducerOptions {
  place: QueuePlace;
  /** With the queues in Postgres. */
  pool: WorkerPool | undefined;
  seal(text: string): string;
  log: Log;
}

/** Adds jobs from a worker. Rejects while the queue is down. */
export function openWorkerProducer({ place, pool, seal, log }: WorkerProducerOptions) {
  const connection = pool ? queuesOnPool(pool.connection, log) : connectToQueues(place, log);
  async function add(definition: QueueDefinition, data: unknown): Promise<void> {
    await withTimeout(timeoutMs, connection.queue(definition).add(definition.jobName, data));
  }
  return {
    /** With an id, the mail is sent once, however often it is added. */
    sendMail: (request: MailRequest, id?: string) => add(mailQueue, packMail(request, seal, id)),
    buildExport: (job: ExportJob) => add(exportQueue, job),
    close: () => connection.close(),
  };
}
