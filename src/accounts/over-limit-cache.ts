import { LRUCache } from 'lru-cache';

const maxAgeMs = 10_000;
const defaultMaxCallers = 10_000;

interface Entry<Window> {
  window: Window;
  storedAt: number;
  checkedAt: number;
}

/** Callers over their rate limit. Until the reset, only one request of each goes to the database per 10 s. */
export interface OverLimitCache<Window extends { resetInMs: number }> {
  /** Undefined where the caller is not known to be over the limit, or where one request is due to check again. */
  get(caller: string): Window | undefined;
  /** For at most `maxTtlMs`, after which the caller is another one: a key that has expired. */
  set(caller: string, window: Window, maxTtlMs?: number): void;
  delete(caller: string): void;
}

export function createOverLimitCache<Window extends { resetInMs: number }>({
  maxCallers = defaultMaxCallers,
  nowMs = () => performance.now(),
} = {}): OverLimitCache<Window> {
  const cache = new LRUCache<string, Entry<Window>>({
    max: maxCallers,
    perf: { now: nowMs },
    ttlResolution: 0,
  });
  return {
    get(caller) {
      const entry = cache.get(caller);
      if (!entry) return undefined;
      const now = nowMs();
      if (now - entry.checkedAt >= maxAgeMs) {
        // Only this request goes to the database; those that arrive with it still get the entry.
        entry.checkedAt = now;
        return undefined;
      }
      const { window, storedAt } = entry;
      return { ...window, resetInMs: Math.max(0, window.resetInMs - (now - storedAt)) };
    },
    set(caller, window, maxTtlMs = Infinity) {
      const storedAt = nowMs();
      const ttl = Math.min(window.resetInMs, maxTtlMs);
      if (ttl >= 1) cache.set(caller, { window, storedAt, checkedAt: storedAt }, { ttl });
    },
    delete(caller) {
      cache.delete(caller);
    },
  };
}
