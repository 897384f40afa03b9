import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import type { ScanJob } from './scan-jobs.ts';

type DelayRest = Parameters<Worker['delay']> extends [unknown?, ...infer Rest] ? Rest : never;

const longestBackoffMs = 2_000;
const pauseMs = 500;

/**
 * BullMQ waits before it fetches again only where the connection was refused. After any other error (no permission, a
 * replica, out of memory, a read-only database) it fetches again at once and takes a whole core; where even the first
 * question was refused, without ever coming back to the event loop. This one backs off, and is awake when it is closed.
 */
export function withBackoff(Base: typeof Worker) {
  return class extends Base<ScanJob, void> {
    #failures = 0;
    readonly #closed = new AbortController();

    protected override async moveToActive(...args: Parameters<Worker['moveToActive']>) {
      try {
        const job = await super.moveToActive(...args);
        this.#failures = 0;
        return job;
      } catch (error) {
        this.#failures += 1;
        const backoffMs = Math.min(longestBackoffMs, 100 * 2 ** Math.min(this.#failures, 8));
        if (!this.closing)
          await sleep(backoffMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
        throw error;
      }
    }

    /** Without a time: after an error of the command that waits for jobs. */
    override delay(milliseconds = pauseMs, ...rest: DelayRest): Promise<void> {
      return super.delay(milliseconds, ...rest);
    }

    override close(force?: boolean): Promise<void> {
      this.#closed.abort();
      return super.close(force);
    }
  };
}
