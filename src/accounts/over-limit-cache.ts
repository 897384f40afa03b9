import { LRUCache } from 'lru-cache';

const maxAgeMs = 10_000;

interface Entry<Window> {
  window: Window;
  storedAt: number;
  checkedAt: number;
}

/** Callers over their rate limit. Until the reset, the database sees at most one request of each in 10 s. */
export interface OverLimitCache<Window extends { resetInMs: number }> {
  /** Undefined where the caller is not known to be over the limit, or where one request is due to check again. */
  get(caller: string): Window | undefined;
  set(caller: string, window: Window): void;
  delete(caller: string): void;
}

export function createOverLimitCache<Window extends { resetInMs: number }>(
  elapsedMs = () => performance.now(),
): OverLimitCache<Window> {
  const cache = new LRUCache<string, Entry<Window>>({ max: 10_000, perf: { now: elapsedMs } });
  return {
    get(caller) {
      const entry = cache.get(caller);
      if (!entry) return undefined;
      const now = elapsedMs();
      if (now - entry.checkedAt >= maxAgeMs) {
        // Only this request goes to the database; those that arrive with it still get the entry.
        entry.checkedAt = now;
        return undefined;
      }
      const { window, storedAt } = entry;
      return { ...window, resetInMs: Math.max(0, window.resetInMs - (now - storedAt)) };
    },
    set(caller, window) {
      const storedAt = elapsedMs();
      if (window.resetInMs >= 1)
        cache.set(caller, { window, storedAt, checkedAt: storedAt }, { ttl: window.resetInMs });
    },
    delete(caller) {
      cache.delete(caller);
    },
  };
}
