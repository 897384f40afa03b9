import { setTimeout as sleep } from 'node:timers/promises';

export interface Repeated {
  stop(): Promise<void>;
}

/** Does something again and again with a pause, until it is stopped. The last turn is completed. */
export function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
): Repeated {
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      await work().catch(onError);
      await sleep(pauseMs);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await done;
    },
  };
}
