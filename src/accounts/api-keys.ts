import { Model, snakeCaseMappers } from 'objection';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { AppError } from '../errors.ts';
import { hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { generateApiKey } from './api-key-format.ts';
import { liveTimes } from './rate-window.ts';

export class ApiKey extends Model {
  static override tableName = 'api_keys';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare userId: string;
  declare name: string;
  declare prefix: string;
  declare secretHash: Buffer;
  declare createdAt: Date;
  declare revokedAt: Date | null;
}

/** Returns the whole key, which is shown once: only its prefix and a hash are stored. */
export async function createApiKey(db: Database, userId: string, name: string, now: Date): Promise<string> {
  const { key, prefix, secretHash } = generateApiKey();
  await ApiKey.query(db).insert({
    id: uuidv7({ msecs: now.getTime() }),
    userId,
    name,
    prefix,
    secretHash,
    createdAt: now,
  });
  return key;
}

/** Each key has its own hourly quota: without this bound, and one of active keys, an account would have no limit. */
export const keysPerHour = 10;

export type KeyCreation =
  | { key: string }
  | { refused: 'active' }
  | { refused: 'hourly'; retryAfterSeconds: number };

/** For owners. The user's row is locked while the limits are checked, so that they hold for parallel requests. */
export async function createOwnKey(
  db: Database,
  userId: string,
  name: string,
  { maxActive, now }: { maxActive: number; now: Date },
): Promise<KeyCreation> {
  return db.transaction(async (transaction) => {
    await transaction('users').where({ id: userId }).forNoKeyUpdate().select('id');
    // A separate statement, so that its snapshot includes what the previous holder of the lock committed.
    const { rows } = (await transaction.raw(
      `SELECT count(*) FILTER (WHERE revoked_at IS NULL) AS active,
              (array_agg(created_at ORDER BY created_at DESC))[:max] AS oldest
       FROM api_keys WHERE user_id = :userId AND (revoked_at IS NULL OR created_at > :since)`,
      { userId, max: keysPerHour, since: new Date(now.getTime() - hourMs) },
    )) as { rows: [{ active: number; oldest: Date | null }] };
    const [{ active, oldest }] = rows;
    if (active >= maxActive) return { refused: 'active' };
    const waitMs = oldest ? oldest.getTime() + hourMs - now.getTime() : 0;
    if (waitMs > 0) return { refused: 'hourly', retryAfterSeconds: Math.ceil(waitMs / 1000) };
    return { key: await createApiKey(transaction, userId, name, now) };
  });
}

export async function listApiKeys(db: Database, userId: string): Promise<ApiKey[]> {
  return ApiKey.query(db).where({ user_id: userId }).orderBy('id');
}

export async function revokeApiKey(db: Database, prefix: string, now: Date): Promise<ApiKey> {
  const key = await ApiKey.query(db).findOne({ prefix });
  if (!key) throw new AppError('not_found', `There is no key with the prefix ${prefix}`);
  if (!key.revokedAt) await key.$query(db).patch({ revokedAt: now });
  return key;
}

export interface KeyUse {
  key: ApiKey;
  /** Requests of the last hour. */
  used: number;
  lastUsedAt: Date | undefined;
}

/** The keys of a user, newest first, with the use of each. */
export async function listKeyUse(db: Database, userId: string): Promise<KeyUse[]> {
  const keys = await ApiKey.query(db).where({ user_id: userId }).orderBy('id', 'desc');
  const { rows } = (await db.raw(
    `SELECT subject, checked_at AS "lastUsedAt",
            (SELECT count(*)::int FROM ${liveTimes('now()')}) AS used
     FROM request_windows AS w WHERE subject = ANY(?)`,
    [keys.map(({ id }) => `key:${id}`)] as never,
  )) as { rows: { subject: string; used: number; lastUsedAt: Date }[] };
  const windows = new Map(rows.map((row) => [row.subject, row]));
  return keys.map((key) => {
    const window = windows.get(`key:${key.id}`);
    return { key, used: window?.used ?? 0, lastUsedAt: window?.lastUsedAt };
  });
}

/** False for another user's key, as for one that does not exist. */
export async function revokeOwnKey(db: Database, userId: string, id: string, now: Date): Promise<boolean> {
  if (!isUuid(id)) return false;
  const key = await ApiKey.query(db).findOne({ id, user_id: userId });
  if (key && !key.revokedAt) await key.$query(db).patch({ revokedAt: now });
  return key !== undefined;
}
