import { Worker } from 'node:worker_threads';
import { growingDelay } from '../growing-delay.ts';
import type { Log } from '../telemetry/log.ts';
import type { QueuePlace, ScanQueue } from './connection.ts';
import type { QueueAnswer, QueueQuestion, QueueThreadData } from './queue-thread-main.ts';
import type { RawScan } from './scan-jobs.ts';

// A thread takes JavaScript only: where this file runs as TypeScript, the built one beside it.
const threadFile = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/src/queue/queue-thread-main.js', import.meta.url)
  : new URL('queue-thread-main.js', import.meta.url);

export interface ScanRecorder extends ScanQueue {
  /** Makes one job of these scans; resolves when the queue has it. */
  record(scans: RawScan[]): Promise<unknown>;
}

interface Asked {
  resolve(value: number): void;
  reject(error: Error): void;
}

/**
 * The queue in a thread of its own. What BullMQ does for a batch is then done beside the redirects, not between them: the
 * lane is a fifth faster for it. Resolves when the thread answers, whether or not the queue can be reached.
 */
export async function openQueueThread(
  place: QueuePlace,
  sealingKey: Buffer,
  log: Log,
): Promise<ScanRecorder> {
  const data: QueueThreadData = { place, sealingKey, logLevel: log.level as QueueThreadData['logLevel'] };
  const asked = new Map<number, Asked>();
  const delay = growingDelay({ firstMs: 100 });
  let lastId = 0;
  let isReady = false;
  let isClosing = false;
  let restart: NodeJS.Timeout | undefined;

  function start(answers: () => void = () => undefined): Worker {
    const startedAt = Date.now();
    const started = new Worker(threadFile, { workerData: data });
    started.on('message', (answer: QueueAnswer) => {
      if ('ready' in answer) {
        isReady = answer.ready;
        answers();
        return;
      }
      const question = asked.get(answer.id);
      asked.delete(answer.id);
      if (answer.error === undefined) question?.resolve(answer.value);
      else question?.reject(new Error(answer.error));
    });
    started.on('error', (err) => log.error({ err }, 'the queue thread failed'));
    started.on('exit', () => {
      isReady = false;
      for (const { reject } of asked.values()) reject(new Error('The queue thread has ended'));
      asked.clear();
      answers();
      if (isClosing) return;
      log.warn('the queue thread ended and is started again');
      restart = setTimeout(
        () => {
          thread = start();
        },
        delay.next(Date.now() - startedAt),
      );
    });
    return started;
  }

  function ask(question: QueueQuestion): Promise<number> {
    return new Promise((resolve, reject) => {
      // Node's sign for a thread that has ended: nobody would answer.
      if (thread.threadId < 0) throw new Error('The queue thread has ended');
      lastId += 1;
      asked.set(lastId, { resolve, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage({ id: lastId, ...question });
    });
  }

  let thread!: Worker;
  await new Promise<void>((resolve) => {
    thread = start(resolve);
  });
  return {
    isReady: () => isReady,
    // As one string: that is handed over at a fraction of what an array of objects costs.
    record: (scans) => ask({ ask: 'record', scans: JSON.stringify(scans) }),
    add: (job) => ask({ ask: 'add', job }),
    pending: () => ask({ ask: 'pending' }),
    async close() {
      isClosing = true;
      clearTimeout(restart);
      await ask({ ask: 'close' }).catch(() => undefined);
      await thread.terminate();
    },
  };
}
