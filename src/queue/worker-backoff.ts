import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';

type DelayRest = Parameters<Worker['delay']> extends [unknown?, ...infer Rest] ? Rest : never;

const longestBackoffMs = 2_000;
const pauseMs = 500;

/**
 * BullMQ backs off before it fetches again only after a refused connection. After any other error (no permission, a
 * replica, out of memory, a read-only database) it fetches again at once and uses a whole core; if its first command
 * was refused, it never even yields to the event loop. This worker backs off after every error, and stops waiting when
 * it is closed.
 */
export function withBackoff(Base: typeof Worker) {
  return class extends Base<unknown, void> {
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

    /** BullMQ passes no time after an error of the blocking command that waits for jobs. */
    override delay(milliseconds = pauseMs, ...rest: DelayRest): Promise<void> {
      return super.delay(milliseconds, ...rest);
    }

    override close(force?: boolean): Promise<void> {
      this.#closed.abort();
      return super.close(force);
    }
  };
}
