import { LRUCache } from 'lru-cache';
import { hourMs } from './units.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A rate limit per caller, in memory: a refusal costs no query. A full bucket may be used up at once. */
interface TokenBuckets {
  /** Takes a token and returns 0, or returns the milliseconds until the caller has one. */
  take(caller: string): number;
  /** Gives a token back, for what turned out to cost nothing. */
  giveBack(caller: string): void;
}

/** `size`: how many tokens a full bucket has, those of an hour unless given. */
export function createTokenBuckets(
  perHour: number,
  nowMs = () => performance.now(),
  size = perHour,
): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>({ max: 50_000 });
  const msPerToken = hourMs / perHour;
  return {
    take(caller) {
      const now = nowMs();
      const bucket = buckets.get(caller) ?? { tokens: size, filledAt: now };
      const tokens = Math.min(size, bucket.tokens + (now - bucket.filledAt) / msPerToken);
      const isEmpty = tokens < 1;
      buckets.set(caller, { tokens: isEmpty ? tokens : tokens - 1, filledAt: now });
      return isEmpty ? Math.ceil((1 - tokens) * msPerToken) : 0;
    },
    giveBack(caller) {
      const bucket = buckets.get(caller);
      if (bucket) bucket.tokens = Math.min(size, bucket.tokens + 1);
    },
  };
}
