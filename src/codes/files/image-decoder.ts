import type { Worker } from 'node:worker_threads';
import { BusyError } from '../../errors.ts';
import { type Caller, createFairScheduler } from '../../runtime/fair-scheduler.ts';
import { startFile } from '../../runtime/thread.ts';
import { threadCpuMs } from '../../runtime/thread-cpu.ts';
import type { Log } from '../../telemetry/log.ts';
import type { DecoderMessage, DecoderRequest, DecoderResult } from './decoder-thread-main.ts';
import { asPng, ImageError } from './upload.ts';

export interface ImageDecoder {
  /** Returns what is stored of an uploaded image. Rejects with an ImageError. */
  decode(caller: Caller, file: Uint8Array, purpose: DecoderRequest['purpose']): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** V8 heap limits; pixel buffers are off-heap. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const retryAfterSeconds = 5;
const checkEveryMs = 100;

const tooComplex = () => new ImageError(`takes too long to draw: make it simpler, or ${asPng}`);

const tooBusy = () =>
  new BusyError('The image cannot be read right now. Try again shortly.', { retryAfterSeconds });

/**
 * Decodes each file in a new thread: one that hangs or uses too much memory is terminated, and the memory of decoders is
 * freed. One at a time; accounts take turns.
 */
export function createImageDecoder(log: Log, { maxCpuMs = 6_000, timeoutMs = 45_000 } = {}): ImageDecoder {
  const turns = createFairScheduler({
    slots: 1,
    waitingPerKey: 8,
    waiting: 100,
    message: 'Too many images are being read. Try again shortly.',
  });
  const workers = new Set<Worker>();

  async function run(request: DecoderRequest): Promise<DecoderResult> {
    const worker = startFile(new URL('decoder-thread-main.js', import.meta.url), request, resourceLimits);
    workers.add(worker);
    // Decoders print messages about damaged files.
    worker.stdout.resume();
    worker.stderr.resume();
    const startedAt = performance.now();
    let cpuMs = () => 0;
    let watch: NodeJS.Timeout | undefined;
    const result = new Promise<DecoderResult>((resolve, reject) => {
      watch = setInterval(() => {
        if (cpuMs() > maxCpuMs) return reject(tooComplex());
        if (performance.now() - startedAt <= timeoutMs) return;
        // Tells an expensive file from a busy machine.
        reject(cpuMs() > maxCpuMs / 3 ? tooComplex() : tooBusy());
      }, checkEveryMs).unref();
      worker.on('message', (message: DecoderMessage) => {
        if (!('thread' in message)) return resolve(message);
        const { thread } = message;
        cpuMs = () => (thread === undefined ? performance.now() - startedAt : threadCpuMs(thread));
      });
      worker.once('error', (err: NodeJS.ErrnoException) => {
        if (err.code === 'ERR_WORKER_OUT_OF_MEMORY') return reject(tooComplex());
        log.error({ err }, 'an uploaded image could not be decoded');
        reject(new ImageError(`cannot be read: ${asPng}`));
      });
      worker.once('exit', () => reject(new Error('The thread of an uploaded image has exited')));
    });
    try {
      return await result;
    } finally {
      clearInterval(watch);
      // Frees its memory before the next one starts.
      await worker.terminate();
      workers.delete(worker);
    }
  }

  return {
    async decode(caller, file, purpose) {
      const result = await turns.run(caller, () => run({ purpose, file }));
      if ('error' in result) throw new ImageError(result.error);
      return result.file;
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
