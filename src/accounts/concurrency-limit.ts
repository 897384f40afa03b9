/** Runs a bounded number at once and queues a bounded number more; the rest is refused. */
export interface ConcurrencyLimit {
  /** Resolves with the function that frees the slot, or with undefined where the queue is full or the wait too long. */
  acquire(): Promise<(() => void) | undefined>;
  /** Whether `acquire` would be refused now. */
  isFull(): boolean;
}

export interface LimitOptions {
  concurrency: number;
  maxWaiting: number;
  maxWaitMs: number;
}

export function createConcurrencyLimit({
  concurrency,
  maxWaiting,
  maxWaitMs,
}: LimitOptions): ConcurrencyLimit {
  const waiting = new Set<() => void>();
  let running = 0;

  function startNext(): void {
    running -= 1;
    const [next] = waiting;
    next?.();
  }

  function start(): () => void {
    running += 1;
    let isReleased = false;
    return () => {
      if (!isReleased) startNext();
      isReleased = true;
    };
  }

  const isFull = () => running >= concurrency && waiting.size >= maxWaiting;

  return {
    isFull,
    async acquire() {
      if (isFull()) return undefined;
      if (running < concurrency) return start();
      return new Promise((resolve) => {
        const run = () => {
          clearTimeout(timer);
          waiting.delete(run);
          resolve(start());
        };
        const timer = setTimeout(() => {
          waiting.delete(run);
          resolve(undefined);
        }, maxWaitMs);
        waiting.add(run);
      });
    },
  };
}
