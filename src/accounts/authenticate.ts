import { randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { anonymousHourlyQuota, type PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { isBlockedSql } from './users.ts';
import type { ParsedApiKey } from './api-keys.ts';
import { createOverLimitCache } from './over-limit-cache.ts';
import { countRequest, resetAt } from './request-windows.ts';

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

      const authentication = await authenticate(db, key, address, limits);
      const { ownerId, isAllowed, window } = authentication;
      if (key && ownerId === undefined) keys.markInvalid(key);
      const [overLimit, caller] =
        key && ownerId !== undefined ? [keysOverLimit, cacheKeyOf(key)] : [addressesOverLimit, address];
      if (isAllowed) overLimit.delete(caller);
      else overLimit.set(caller, window);
      return authentication;
    },
  };
}

function refusal(window: RateWindow): Authentication {
  return { ownerId: undefined, isBlocked: false, isAllowed: false, window };
}

/** The rate limit of a key or an address, after a request. */
export interface RateWindow {
  limit: number;
  used: number;
  remaining: number;
  /** Milliseconds until a refused caller can try again, or until the oldest request leaves the window. */
  resetInMs: number;
  /** The same by the database's clock: Unix time in whole seconds, rounded up. */
  resetAt: number;
}

interface Authentication {
  /** Undefined without a valid key. */
  ownerId: string | undefined;
  /** The key is valid, but an operator has blocked its account. */
  isBlocked: boolean;
  /** False where the rate limit is exceeded. */
  isAllowed: boolean;
  window: RateWindow;
}

interface AuthenticationRow {
  user_id: string | null;
  is_blocked: boolean | null;
  quota: number;
  is_allowed: boolean;
  used: number;
  reset_at: number;
  checked_at: number;
}

// Both sides are hashed with a nonce before they are compared: the time of the comparison reveals nothing of the stored hash.
const authenticateSql = `
  WITH caller AS (
    SELECT k.id AS key_id, u.id AS user_id, ${isBlockedSql('u.id')} AS is_blocked,
           coalesce((u.limits ->> 'requestsPerHour')::int, (CAST(:quotas AS jsonb) ->> u.plan)::int) AS quota
    FROM api_keys k JOIN users u ON u.id = k.user_id
    WHERE k.prefix = :prefix
      AND k.revoked_at IS NULL
      AND sha256(k.secret_hash || CAST(:nonce AS bytea)) = sha256(CAST(:secretHash AS bytea) || CAST(:nonce AS bytea))
  ), limits AS (
    SELECT coalesce('key:' || (SELECT key_id FROM caller), 'address:' || CAST(:address AS text)) AS subject,
           coalesce((SELECT quota FROM caller), CAST(:anonymousQuota AS int)) AS quota
  ), counted AS (${countRequest('limits')})
  SELECT (SELECT user_id FROM caller), (SELECT is_blocked FROM caller), quota, admitted AS is_allowed, cardinality(recent) AS used,
         extract(epoch FROM ${resetAt})::float8 AS reset_at,
         extract(epoch FROM checked_at)::float8 AS checked_at
  FROM limits, counted`;

/**
 * Authenticates a key and counts one request against its rate limit, in one statement. Without a valid key the request
 * counts against the client's (hashed) address.
 */
async function authenticate(
  db: Database,
  key: ParsedApiKey | undefined,
  address: string,
  limits: PlanLimits,
): Promise<Authentication> {
  const { rows } = (await db.raw(authenticateSql, {
    prefix: key?.prefix ?? '',
    secretHash: key?.secretHash ?? Buffer.alloc(0),
    nonce: randomBytes(16),
    quotas: JSON.stringify({ free: limits.free.requestsPerHour, pro: limits.pro.requestsPerHour }),
    anonymousQuota: anonymousHourlyQuota,
    address,
  })) as { rows: [AuthenticationRow] };
  const [row] = rows;
  return {
    ownerId: row.user_id ?? undefined,
    isBlocked: row.is_blocked ?? false,
    isAllowed: row.is_allowed,
    window: toWindow(row),
  };
}

/** Deletes empty windows. The window of an existing key is kept: it holds when the key was last used. */
export async function purgeOldWindows(db: Database): Promise<number> {
  return db('request_windows')
    .where('checked_at', '<', db.raw("now() - interval '1 hour'"))
    .whereRaw("(subject NOT LIKE 'key:%' OR subject NOT IN (SELECT 'key:' || id FROM api_keys))")
    .delete();
}

function toWindow(row: AuthenticationRow): RateWindow {
  return {
    limit: row.quota,
    used: row.used,
    remaining: Math.max(0, row.quota - row.used),
    resetInMs: Math.max(0, (row.reset_at - row.checked_at) * 1000),
    resetAt: Math.ceil(row.reset_at),
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
 * Looks keys up in batches: one statement at a time, at most one in 100 ms. An unknown or revoked key never becomes valid,
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

function cacheKeyOf({ prefix, secretHash }: ParsedApiKey): string {
  return `${prefix} ${secretHash.toString('base64')}`;
}
