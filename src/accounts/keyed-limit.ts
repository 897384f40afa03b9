import { type ConcurrencyLimit, createConcurrencyLimit, type LimitOptions } from './concurrency-limit.ts';

export interface KeyedLimit {
  /** Resolves with the function that frees the slot, or with undefined where the queue is full or the wait too long. */
  acquire(key: string): Promise<(() => void) | undefined>;
}

/** A concurrency limit of its own for each key. Nothing is kept for keys that nobody uses. */
export function createKeyedLimit(options: LimitOptions): KeyedLimit {
  const entries = new Map<string, { limit: ConcurrencyLimit; users: number }>();

  return {
    async acquire(key) {
      const entry = entries.get(key) ?? { limit: createConcurrencyLimit(options), users: 0 };
      entries.set(key, entry);
      entry.users += 1;
      const leave = () => {
        entry.users -= 1;
        if (entry.users === 0) entries.delete(key);
      };
      const release = await entry.limit.acquire();
      if (release) {
        return () => {
          release();
          leave();
        };
      }
      leave();
      return undefined;
    },
  };
}
