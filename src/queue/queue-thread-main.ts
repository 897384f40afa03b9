import { workerData } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { handleRequests, emitEvent, threadLog } from '../runtime/inside-thread.ts';
import { openScanQueue, type QueuePlace } from './connection.ts';
import { packScans, type RawScan, type ScanJob } from './scan-jobs.ts';

/** What the thread is given at its start. Its notices are whether the queue is ready. */
export interface QueueThreadData {
  place: QueuePlace;
  sealingKey: Uint8Array;
  logLevel: Config['logLevel'];
}

export type QueueQuestion =
  | { ask: 'record'; scans: string }
  | { ask: 'add'; job: ScanJob }
  | { ask: 'checkWrites' }
  | { ask: 'pending' }
  | { ask: 'depth' }
  | { ask: 'close' };

const { place, sealingKey, logLevel } = workerData as QueueThreadData;
const queue = openScanQueue(place, threadLog('web', logLevel), emitEvent);
emitEvent(queue.isReady());

handleRequests<QueueQuestion>(async (question) => {
  if (question.ask === 'record') {
    await queue.add(packScans(JSON.parse(question.scans) as RawScan[], sealingKey));
  } else if (question.ask === 'add') {
    await queue.add(question.job);
  } else if (question.ask === 'checkWrites') {
    await queue.checkWrites();
  } else if (question.ask === 'pending') {
    return queue.pending();
  } else if (question.ask === 'depth') {
    return queue.depth();
  } else {
    await queue.close();
  }
  return undefined;
});
