import { LRUCache } from 'lru-cache';
import type { RateWindow } from './admission.ts';

const longestMemoryMs = 10_000;

/** Remembers who is over the limit, so that asking again costs no database work until the reset, or 10 s. */
export interface SpentWindows {
  recall(caller: string): RateWindow | undefined;
  remember(caller: string, window: RateWindow): void;
}

export function createSpentWindows(): SpentWindows {
  const cache = new LRUCache<string, RateWindow>({ max: 10_000 });
  return {
    recall(caller) {
      return cache.get(caller);
    },
    remember(caller, window) {
      const ttl = Math.min(window.resetInMs, longestMemoryMs);
      if (ttl >= 1) cache.set(caller, window, { ttl });
    },
  };
}
