import { randomBytes } from 'node:crypto';
import { anonymousHourlyQuota, type PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';
import type { ParsedApiKey } from './api-key-format.ts';
import { isBlockedSql } from './blocked-account-sql.ts';
import { countRequest, resetAt } from './rate-window.ts';

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

export interface Authentication {
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
export async function authenticate(
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
