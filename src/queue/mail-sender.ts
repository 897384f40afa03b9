import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { type MailRequest, mailQueue, packMail } from './mail-queue.ts';
import { connectToQueues, type QueuePlace, queuesOnPool } from './queue-connection.ts';
import type { WorkerPool } from './worker-pool.ts';

const timeoutMs = 5_000;

interface MailSenderOptions {
  place: QueuePlace;
  /** With the queues in Postgres. */
  pool: WorkerPool | undefined;
  seal(text: string): string;
  log: Log;
}

/** Adds mails to their queue, from a worker. Rejects while the queue is down. */
export function openMailSender({ place, pool, seal, log }: MailSenderOptions) {
  const connection = pool ? queuesOnPool(pool.connection, log) : connectToQueues(place, log);
  return {
    async send(request: MailRequest): Promise<void> {
      const queue = connection.queue(mailQueue);
      await withTimeout(timeoutMs, queue.add(mailQueue.jobName, packMail(request, seal)));
    },
    close: () => connection.close(),
  };
}
