import { LRUCache } from 'lru-cache';
import { hourMs } from '../runtime/units.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A rate limit per caller, in memory: a refusal costs no query. A full bucket may be used up at once. */
export interface TokenBuckets {
  /** Takes a token and returns 0, or returns the milliseconds until the caller has one. */
  take(caller: string): number;
}

export function createTokenBuckets(perHour: number, nowMs = () => performance.now()): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>({ max: 50_000 });
  const msPerToken = hourMs / perHour;
  return {
    take(caller) {
      const now = nowMs();
      const bucket = buckets.get(caller) ?? { tokens: perHour, filledAt: now };
      const tokens = Math.min(perHour, bucket.tokens + (now - bucket.filledAt) / msPerToken);
      const isEmpty = tokens < 1;
      buckets.set(caller, { tokens: isEmpty ? tokens : tokens - 1, filledAt: now });
      return isEmpty ? Math.ceil((1 - tokens) * msPerToken) : 0;
    },
  };
}
