import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'bullmq';
import type { withBackoff } from './worker-backoff.ts';

/**
 * To wait for a job, to fetch it and to complete it are three commands, and each wakes both sides. A worker that keeps up
 * would send all three for every job. This one lets jobs gather after the queue was empty: then it need not wait for most of
 * them, and the handler gets them together.
 */
export function withGathering(Base: ReturnType<typeof withBackoff>, gatherMs: number) {
  return class extends Base {
    #isEmpty = false;

    constructor(...args: ConstructorParameters<typeof Base>) {
      super(...args);
      this.on('drained', () => {
        this.#isEmpty = true;
      });
    }

    protected override async moveToActive(...args: Parameters<Worker['moveToActive']>) {
      if (this.#isEmpty && !this.closing) await sleep(gatherMs);
      this.#isEmpty = false;
      return super.moveToActive(...args);
    }
  };
}
