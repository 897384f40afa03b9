import { createHash } from 'node:crypto';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import type { ServiceSecrets } from './secrets.ts';

const lifetimeMs = dayMs;

type Seals = Pick<ServiceSecrets, 'sealResponse' | 'openResponse'>;

/** One use of an Idempotency-Key. Keys of different accounts are independent. */
export interface KeyUse {
  ownerId: string;
  key: string;
  /** Of all that makes it the same request. */
  requestHash: Buffer;
}

export interface StoredResponse {
  requestHash: Buffer;
  /** JSON. */
  response: string;
}

/** The response of an earlier request with this key, unless it is older than a day. */
export async function findResponse(
  db: Database,
  seals: Seals,
  { ownerId, key }: KeyUse,
  now: Date,
): Promise<StoredResponse | undefined> {
  const row = (await db('idempotent_responses')
    .where({ user_id: ownerId, key_hash: hashOf(key) })
    .where('created_at', '>', expiryBefore(now))
    .first('request_hash', 'sealed')) as { request_hash: Buffer; sealed: Buffer } | undefined;
  return row && { requestHash: row.request_hash, response: seals.openResponse(row.sealed, key) };
}

/**
 * False where another request has used the key in the last 24 hours. Waits for a transaction that has claimed it and not
 * ended yet, in any process.
 */
export async function claimKey(
  transaction: Database,
  { ownerId, key, requestHash }: KeyUse,
  now: Date,
): Promise<boolean> {
  const { rows } = (await transaction.raw(
    `INSERT INTO idempotent_responses AS stored (user_id, key_hash, request_hash, created_at)
     VALUES (:ownerId, :keyHash, :requestHash, :now)
     ON CONFLICT (user_id, key_hash) DO UPDATE
       SET request_hash = excluded.request_hash, sealed = NULL, created_at = excluded.created_at
       WHERE stored.created_at <= :expiryBefore
     RETURNING 1`,
    { ownerId, keyHash: hashOf(key), requestHash, now, expiryBefore: expiryBefore(now) },
  )) as { rows: unknown[] };
  return rows.length > 0;
}

/** In the transaction that claimed the key, with the effect of the request. */
export async function storeResponse(
  transaction: Database,
  seals: Seals,
  { ownerId, key }: KeyUse,
  response: string,
): Promise<void> {
  await transaction('idempotent_responses')
    .where({ user_id: ownerId, key_hash: hashOf(key) })
    .update({ sealed: seals.sealResponse(response, key) });
}

export async function purgeResponses(db: Database, now: Date): Promise<number> {
  return db('idempotent_responses').where('created_at', '<=', expiryBefore(now)).delete();
}

function expiryBefore(now: Date): Date {
  return new Date(now.getTime() - lifetimeMs);
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
