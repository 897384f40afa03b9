import { randomBytes } from 'node:crypto';
import type { Database } from '../store/database.ts';
import type { ParsedApiKey } from './api-key-format.ts';
import { anonymousHourlyQuota, hourlyQuota } from './plans.ts';

/** What the window of a key or an address says after a request. */
export interface RateWindow {
  limit: number;
  remaining: number;
  /** Milliseconds from now until a request will succeed (after a refusal) or the oldest one leaves the window. */
  resetInMs: number;
  /** The same moment by the database's clock, Unix time in whole seconds, rounded up. */
  resetAt: number;
}

export interface Admission {
  /** Absent where no valid key was presented. */
  ownerId: string | undefined;
  admitted: boolean;
  window: RateWindow;
}

interface AdmissionRow {
  user_id: string | null;
  quota: number;
  admitted: boolean;
  used: number;
  reset_at: number;
  checked_at: number;
}

// The key is compared in constant time: both sides are hashed with a number used once, so how far they agree tells
// nothing of the stored hash. The window is read and written under its own row's lock, with the clock read after the
// lock was had: requests that arrive together, in whatever process, are judged one after the other.
const admissionSql = `
  WITH caller AS (
    SELECT k.id AS key_id, u.id AS user_id, (CAST(:quotas AS jsonb) ->> u.plan)::int AS quota
    FROM api_keys k JOIN users u ON u.id = k.user_id
    WHERE k.prefix = :prefix
      AND k.revoked_at IS NULL
      AND sha256(k.secret_hash || CAST(:nonce AS bytea)) = sha256(CAST(:secretHash AS bytea) || CAST(:nonce AS bytea))
  ), judged AS (
    SELECT coalesce('key:' || (SELECT key_id FROM caller), 'address:' || CAST(:address AS text)) AS subject,
           coalesce((SELECT quota FROM caller), CAST(:anonymousQuota AS int)) AS quota
  ), taken AS (
    INSERT INTO request_windows AS w (subject, recent, admitted, checked_at)
    SELECT subject, ARRAY[clock_timestamp()], true, clock_timestamp() FROM judged
    ON CONFLICT (subject) DO UPDATE SET (recent, admitted, checked_at) = (
      SELECT CASE WHEN cardinality(live) < quota THEN live || at ELSE live END, cardinality(live) < quota, at
      FROM judged, (SELECT clock_timestamp() AS at) AS clock, LATERAL (
        SELECT coalesce(array_agg(t ORDER BY t), '{}') AS live
        FROM unnest(w.recent) AS t WHERE t > at - interval '1 hour'
      ) AS pruned
    )
    RETURNING recent, admitted, checked_at
  )
  SELECT (SELECT user_id FROM caller), quota, admitted, cardinality(recent) AS used,
         extract(epoch FROM recent[CASE WHEN admitted THEN 1 ELSE cardinality(recent) - quota + 1 END])::float8 + 3600
           AS reset_at,
         extract(epoch FROM checked_at)::float8 AS checked_at
  FROM judged, taken`;

/**
 * Authenticates a key and takes one request from its window, in one statement. Without a valid key the request is
 * taken from the window of the client's (disguised) address.
 */
export async function admit(
  db: Database,
  key: ParsedApiKey | undefined,
  address: string,
): Promise<Admission> {
  const { rows } = (await db.raw(admissionSql, {
    prefix: key?.prefix ?? '',
    secretHash: key?.secretHash ?? Buffer.alloc(0),
    nonce: randomBytes(16),
    quotas: JSON.stringify(hourlyQuota),
    anonymousQuota: anonymousHourlyQuota,
    address,
  })) as { rows: [AdmissionRow] };
  const [row] = rows;
  return { ownerId: row.user_id ?? undefined, admitted: row.admitted, window: toWindow(row) };
}

/**
 * Purges the windows that have been silent for an hour: they are empty. A key's tells when it was last used, and stays as long
 * as its key: a request that was under way while a user was deleted may have left one behind.
 */
export async function forgetOldWindows(db: Database): Promise<number> {
  return db('request_windows')
    .where('checked_at', '<', db.raw("now() - interval '1 hour'"))
    .whereRaw("(subject NOT LIKE 'key:%' OR subject NOT IN (SELECT 'key:' || id FROM api_keys))")
    .delete();
}

function toWindow(row: AdmissionRow): RateWindow {
  return {
    limit: row.quota,
    remaining: Math.max(0, row.quota - row.used),
    resetInMs: Math.max(0, (row.reset_at - row.checked_at) * 1000),
    resetAt: Math.ceil(row.reset_at),
  };
}
