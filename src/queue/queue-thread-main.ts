import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { createLog } from '../telemetry/log.ts';
import { openScanQueue, type QueuePlace } from './connection.ts';
import { packScans, type RawScan, type ScanJob } from './scan-jobs.ts';

/** What the thread is given at its start. */
export interface QueueThreadData {
  place: QueuePlace;
  sealingKey: Uint8Array;
  logLevel: Config['logLevel'];
}

export type QueueQuestion =
  | { ask: 'record'; scans: string }
  | { ask: 'add'; job: ScanJob }
  | { ask: 'pending' }
  | { ask: 'close' };

export type QueueAnswer =
  | { ready: boolean }
  | { id: number; value: number; error?: undefined }
  | { id: number; error: string };

const { place, sealingKey, logLevel } = workerData as QueueThreadData;
const port = parentPort as NonNullable<typeof parentPort>;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const tell = (message: QueueAnswer) => port.postMessage(message);

const queue = openScanQueue(place, createLog('web', logLevel), (ready) => tell({ ready }));
tell({ ready: queue.isReady() });

async function answer(question: QueueQuestion): Promise<number> {
  if (question.ask === 'record') {
    await queue.add(packScans(JSON.parse(question.scans) as RawScan[], sealingKey));
  } else if (question.ask === 'add') {
    await queue.add(question.job);
  } else if (question.ask === 'pending') {
    return queue.pending();
  } else {
    await queue.close();
  }
  return 0;
}

port.on('message', ({ id, ...question }: { id: number } & QueueQuestion) => {
  answer(question).then(
    (value) => tell({ id, value }),
    (error: unknown) => tell({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
