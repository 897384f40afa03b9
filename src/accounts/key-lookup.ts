import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from '../store/database.ts';
import type { ParsedApiKey } from './api-key-format.ts';

const pauseMs = 100;
const maxBatch = 1_000;
const maxCached = 10_000;

/** Checks keys without a write, and with few reads however many keys are checked. */
export interface KeyLookup {
  isValid(key: ParsedApiKey): Promise<boolean>;
  /** For a key that was refused: it is not looked up again. */
  markInvalid(key: ParsedApiKey): void;
}

interface Pending {
  key: ParsedApiKey;
  waiting: { resolve(isValid: boolean): void; reject(error: unknown): void }[];
}

/**
 * Looks keys up in batches: one statement at a time, at most one in 100 ms. An unknown or revoked key never becomes valid,
 * so both results are cached; a valid key is authenticated again wherever it is used.
 */
export function createKeyLookup(db: Database): KeyLookup {
  const valid = new LRUCache<string, true>({ max: maxCached });
  const invalid = new LRUCache<string, true>({ max: maxCached });
  const pending = new Map<string, Pending>();
  let isBusy = false;
  let lastAt = -pauseMs;

  function schedule(): void {
    if (isBusy || pending.size === 0) return;
    isBusy = true;
    setTimeout(
      () => {
        lastAt = performance.now();
        const batch = [...pending].slice(0, maxBatch);
        for (const [cacheKey] of batch) pending.delete(cacheKey);
        void lookUp(batch).finally(() => {
          isBusy = false;
          schedule();
        });
      },
      Math.max(0, lastAt + pauseMs - performance.now()),
    );
  }

  async function lookUp(batch: [string, Pending][]): Promise<void> {
    try {
      const rows = (await db('api_keys')
        .whereIn(
          'prefix',
          batch.map(([, { key }]) => key.prefix),
        )
        .whereNull('revoked_at')
        .select('prefix', 'secret_hash')) as { prefix: string; secret_hash: Buffer }[];
      const hashes = new Map(rows.map(({ prefix, secret_hash }) => [prefix, secret_hash]));
      for (const [cacheKey, { key, waiting }] of batch) {
        const hash = hashes.get(key.prefix);
        const isValid = hash !== undefined && timingSafeEqual(hash, key.secretHash);
        (isValid ? valid : invalid).set(cacheKey, true);
        for (const { resolve } of waiting) resolve(isValid);
      }
    } catch (error) {
      for (const [, { waiting }] of batch) for (const { reject } of waiting) reject(error);
    }
  }

  return {
    async isValid(key) {
      const cacheKey = cacheKeyOf(key);
      if (valid.has(cacheKey)) return true;
      if (invalid.get(cacheKey)) return false;
      return new Promise((resolve, reject) => {
        const lookup = pending.get(cacheKey) ?? { key, waiting: [] };
        lookup.waiting.push({ resolve, reject });
        pending.set(cacheKey, lookup);
        schedule();
      });
    },
    markInvalid(key) {
      valid.delete(cacheKeyOf(key));
      invalid.set(cacheKeyOf(key), true);
    },
  };
}

export function cacheKeyOf({ prefix, secretHash }: ParsedApiKey): string {
  return `${prefix} ${secretHash.toString('base64')}`;
}
