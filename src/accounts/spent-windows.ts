import { LRUCache } from 'lru-cache';
import type { RateWindow } from './admission.ts';

const longestMemoryMs = 10_000;

/** Remembers who is over the limit, so that asking again costs no database work until the reset, or 10 s. */
export interface SpentWindows {
  recall(caller: string): RateWindow | undefined;
  remember(caller: string, window: RateWindow): void;
}

export function createSpentWindows(): SpentWindows {
  const cache = new LRUCache<string, { window: RateWindow; heardAt: number }>({ max: 10_000 });
  return {
    recall(caller) {
      const memory = cache.get(caller);
      if (!memory) return undefined;
      const { window, heardAt } = memory;
      return { ...window, resetInMs: Math.max(0, window.resetInMs - (performance.now() - heardAt)) };
    },
    remember(caller, window) {
      const ttl = Math.min(window.resetInMs, longestMemoryMs);
      if (ttl >= 1) cache.set(caller, { window, heardAt: performance.now() }, { ttl });
    },
  };
}
