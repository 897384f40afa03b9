import { Model } from 'objection';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { digestOf, type ServiceSecrets } from './secrets.ts';
import { ownedColumns, type WorkspaceId } from '../workspaces/workspace.ts';

const lifetimeMs = dayMs;

type Seals = Pick<ServiceSecrets, 'sealResponse' | 'openResponse'>;

class IdempotentResponse extends Model {
  static override tableName = 'idempotent_responses';
  static override idColumn = ['user_id', 'key_hash'];
  static override columnNameMappers = ownedColumns();

  declare workspaceId: WorkspaceId;
  declare keyHash: Buffer;
  declare requestHash: Buffer;
  /** Null until the transaction of the request ends. */
  declare sealed: Buffer;
  declare createdAt: Date;

  /** False if the key was used since `expiryBefore`. */
  static async claim(
    transaction: Database,
    use: { workspaceId: WorkspaceId; keyHash: Buffer; requestHash: Buffer; now: Date; expiryBefore: Date },
  ): Promise<boolean> {
    const { rows } = (await transaction.raw(
      `INSERT INTO idempotent_responses AS stored (user_id, key_hash, request_hash, created_at)
       VALUES (:workspaceId, :keyHash, :requestHash, :now)
       ON CONFLICT (user_id, key_hash) DO UPDATE
         SET request_hash = excluded.request_hash, sealed = NULL, created_at = excluded.created_at
         WHERE stored.created_at <= :expiryBefore
       RETURNING 1`,
      use,
    )) as { rows: unknown[] };
    return rows.length > 0;
  }
}

/** One use of an Idempotency-Key. Keys of different accounts are independent. */
export interface KeyUse {
  workspaceId: WorkspaceId;
  key: string;
  /** Covers everything that makes it the same request. */
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
  { workspaceId, key }: KeyUse,
  now: Date,
): Promise<StoredResponse | undefined> {
  const stored = await IdempotentResponse.query(db)
    .findById([workspaceId, digestOf(key)])
    .where('created_at', '>', expiryBefore(now));
  return stored && { requestHash: stored.requestHash, response: seals.openResponse(stored.sealed, key) };
}

/**
 * False where another request has used the key in the last 24 hours. Waits for a transaction that has claimed it and not
 * ended yet, in any process.
 */
export async function claimKey(
  transaction: Database,
  { workspaceId, key, requestHash }: KeyUse,
  now: Date,
): Promise<boolean> {
  return IdempotentResponse.claim(transaction, {
    workspaceId,
    keyHash: digestOf(key),
    requestHash,
    now,
    expiryBefore: expiryBefore(now),
  });
}

/** In the transaction that claimed the key, with the effect of the request. */
export async function storeResponse(
  transaction: Database,
  seals: Seals,
  { workspaceId, key }: KeyUse,
  response: string,
): Promise<void> {
  await IdempotentResponse.query(transaction)
    .findById([workspaceId, digestOf(key)])
    .patch({ sealed: seals.sealResponse(response, key) });
}

export async function purgeResponses(db: Database, now: Date): Promise<number> {
  return IdempotentResponse.query(db).where('created_at', '<=', expiryBefore(now)).delete();
}

function expiryBefore(now: Date): Date {
  return new Date(now.getTime() - lifetimeMs);
}
