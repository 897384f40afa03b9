import type { Worker } from 'node:worker_threads';
import { BusyError } from '../../errors.ts';
import { watchLiveness } from '../../runtime/liveness.ts';
import { startFile } from '../../runtime/runner.ts';
import type { Log } from '../../telemetry/log.ts';
import { asPng, LogoError } from './logo-limits.ts';
import type { LogoResult } from './logo-thread-main.ts';

export interface LogoDecoder {
  /** A PNG of our own with the pixels of the file. Rejects with a LogoError for what is no logo. */
  decode(file: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Of JavaScript. Pixels are outside of it, and bounded by their number. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const retryAfterSeconds = 5;

const tooComplex = () => new LogoError(`takes too long to draw: make it simpler, or ${asPng}`);

/**
 * Each file gets a thread of its own: one that hangs, or uses too much memory, is ended, and the memory that decoders have
 * grown to is free again. One at a time.
 */
export function createLogoDecoder(log: Log, { timeoutMs = 10_000, maxWaiting = 8 } = {}): LogoDecoder {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const workers = new Set<Worker>();

  function run(file: Uint8Array): Promise<LogoResult> {
    const worker = startFile(new URL('logo-thread-main.js', import.meta.url), file, resourceLimits);
    workers.add(worker);
    // What decoders print about a damaged file helps nobody.
    worker.stdout.resume();
    worker.stderr.resume();
    return new Promise<LogoResult>((resolve, reject) => {
      const liveness = watchLiveness({ limitMs: timeoutMs, onHang: () => reject(tooComplex()) });
      worker.once('message', resolve);
      worker.once('error', (err: NodeJS.ErrnoException) => {
        if (err.code === 'ERR_WORKER_OUT_OF_MEMORY') return reject(tooComplex());
        log.error({ err }, 'a logo could not be decoded');
        reject(new LogoError(`cannot be read: ${asPng}`));
      });
      worker.once('exit', () => {
        liveness.stop();
        reject(new Error('The logo thread has exited'));
      });
    }).finally(() => {
      workers.delete(worker);
      void worker.terminate();
    });
  }

  return {
    async decode(file) {
      if (waiting >= maxWaiting)
        throw new BusyError('Too many logos are being read. Try again shortly.', { retryAfterSeconds });
      waiting += 1;
      const running = last
        .then(() => run(file))
        .finally(() => {
          waiting -= 1;
        });
      last = running.catch(() => undefined);
      const result = await running;
      if ('problem' in result) throw new LogoError(result.problem);
      return result.png;
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
