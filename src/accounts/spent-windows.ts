import { LRUCache } from 'lru-cache';

const longestMemoryMs = 10_000;

interface Memory<Window> {
  window: Window;
  heardAt: number;
  askedAt: number;
}

/** Remembers who is over the limit, so that asking again costs database work once in 10 s at most until the reset. */
export interface SpentWindows<Window extends { resetInMs: number }> {
  /** Nothing where the caller is not known to be over the limit, or where it is time for one request to ask again. */
  recall(caller: string): Window | undefined;
  remember(caller: string, window: Window): void;
  forget(caller: string): void;
}

export function createSpentWindows<Window extends { resetInMs: number }>(
  elapsedMs = () => performance.now(),
): SpentWindows<Window> {
  const cache = new LRUCache<string, Memory<Window>>({ max: 10_000, perf: { now: elapsedMs } });
  return {
    recall(caller) {
      const memory = cache.get(caller);
      if (!memory) return undefined;
      const now = elapsedMs();
      if (now - memory.askedAt >= longestMemoryMs) {
        // This one asks, and those that arrive with it do not.
        memory.askedAt = now;
        return undefined;
      }
      const { window, heardAt } = memory;
      return { ...window, resetInMs: Math.max(0, window.resetInMs - (now - heardAt)) };
    },
    remember(caller, window) {
      const heardAt = elapsedMs();
      if (window.resetInMs >= 1)
        cache.set(caller, { window, heardAt, askedAt: heardAt }, { ttl: window.resetInMs });
    },
    forget(caller) {
      cache.delete(caller);
    },
  };
}
