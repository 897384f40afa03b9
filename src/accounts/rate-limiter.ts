import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { ApiKey, type Authentication, type ParsedApiKey, type RateWindow, storedHash } from './api-keys.ts';
import { createOverLimitCache } from './over-limit-cache.ts';
import { isActiveKeySql } from './users.ts';

export interface RateLimiter {
  /** Authenticates a key and counts one request against its limit, or against that of the (hashed) address. */
  check(key: ParsedApiKey | undefined, address: string): Promise<Authentication>;
}

/**
 * Remembers callers that are over the limit, so that refusing them again needs no write. An address over the limit may
 * still present a valid key, so unknown keys are looked up in batches.
 */
export function createRateLimiter(db: Database, limits: PlanLimits): RateLimiter {
  const keysOverLimit = createOverLimitCache<RateWindow>();
  const addressesOverLimit = createOverLimitCache<RateWindow>();
  const keys = createKeyLookup(db);

  return {
    async check(key, address) {
      const keyWindow = key && keysOverLimit.get(cacheKeyOf(key));
      if (keyWindow) return refusal(keyWindow);
      const addressWindow = addressesOverLimit.get(address);
      if (addressWindow && !(key && (await keys.isValid(key)))) return refusal(addressWindow);

      const authentication = await ApiKey.authenticate(db, key, address, limits);
      const { workspaceId, isAllowed, window, expiresInMs } = authentication;
      if (key && workspaceId === undefined) keys.markInvalid(key);
      const [overLimit, caller] =
        key && workspaceId !== undefined ? [keysOverLimit, cacheKeyOf(key)] : [addressesOverLimit, address];
      if (isAllowed) overLimit.delete(caller);
      else overLimit.set(caller, window, expiresInMs);
      return authentication;
    },
  };
}

function refusal(window: RateWindow): Authentication {
  return {
    workspaceId: undefined,
    key: undefined,
    isBlocked: false,
    scopes: null,
    expiresInMs: Infinity,
    isAllowed: false,
    window,
  };
}

const pauseMs = 100;
const maxBatch = 1_000;
const maxCached = 10_000;

/** Checks keys without a write, and with few reads however many keys are checked. */
interface KeyLookup {
  isValid(key: ParsedApiKey): Promise<boolean>;
  /** For a key that was refused: it is not looked up again. */
  markInvalid(key: ParsedApiKey): void;
}

interface Pending {
  key: ParsedApiKey;
  waiting: { resolve(isValid: boolean): void; reject(error: unknown): void }[];
}

/**
 * Looks keys up in batches: one statement at a time, at most one in 100 ms. An unknown, revoked or expired key never becomes valid,
 * so both results are cached; a valid key is authenticated again wherever it is used.
 */
function createKeyLookup(db: Database): KeyLookup {
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
      const prefixes = batch.map(([, { key }]) => key.prefix);
      const keys = await ApiKey.query(db).whereIn('prefix', prefixes).whereRaw(isActiveKeySql('api_keys'));
      const found = new Map(keys.map((each) => [each.prefix, each]));
      for (const [cacheKey, { key, waiting }] of batch) {
        const stored = found.get(key.prefix);
        const isValid =
          stored !== undefined && timingSafeEqual(stored.secretHash, storedHash(key.secretHash, stored));
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

function cacheKeyOf({ prefix, secretHash }: ParsedApiKey): string {
  return `${prefix} ${secretHash.toString('base64')}`;
}
