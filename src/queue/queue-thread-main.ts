import { workerData } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { handleRequests, emitEvent, threadLog } from '../runtime/inside-thread.ts';
import { openQueueClient } from './queue-client.ts';
import type { QueuePlace } from './queue-connection.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { allQueues } from './queues.ts';
import { packScans, type RawScan } from './scan-jobs.ts';
import { scanQueue } from './scan-queue.ts';

/** Passed to the thread at its start. The thread notifies the process whenever the queue becomes ready or not ready. */
export interface QueueThreadData {
  place: QueuePlace;
  sealingKey: Uint8Array;
  logLevel: Config['logLevel'];
}

/** `queue` is the queue's name: its definition holds functions, which cannot be sent to a thread. */
export type QueueRequest =
  | { type: 'enqueue'; scans: string }
  | { type: 'add'; queue: string; data: unknown }
  | { type: 'checkWrites' }
  | { type: 'pending'; queue: string }
  | { type: 'depths' }
  | { type: 'close' };

const { place, sealingKey, logLevel } = workerData as QueueThreadData;
const client = openQueueClient({ place, log: threadLog('web', logLevel), onReadinessChange: emitEvent });
emitEvent(client.isReady());

handleRequests<QueueRequest>(async (request) => {
  switch (request.type) {
    case 'enqueue':
      await client.add(scanQueue, packScans(JSON.parse(request.scans) as RawScan[], sealingKey));
      return undefined;
    case 'add':
      await client.add(queueNamed(request.queue), request.data);
      return undefined;
    case 'checkWrites':
      return client.checkWrites();
    case 'pending':
      return client.pending(queueNamed(request.queue));
    case 'depths':
      return client.depths();
    case 'close':
      return client.close();
  }
});

function queueNamed(name: string): QueueDefinition {
  const queue = allQueues.find((definition) => definition.name === name);
  if (!queue) throw new Error(`There is no queue ${name}`);
  return queue;
}
