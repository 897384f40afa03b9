import { Model, snakeCaseMappers } from 'objection';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { AppError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { generateApiKey } from './api-key-format.ts';

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

/** The whole key is in the answer and nowhere else: only its prefix and a hash are stored. */
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

/** The keys of a user, newest first, each with what its window says. */
export async function listKeyUse(db: Database, userId: string): Promise<KeyUse[]> {
  const keys = await ApiKey.query(db).where({ user_id: userId }).orderBy('id', 'desc');
  const { rows } = (await db.raw(
    `SELECT subject, checked_at AS "lastUsedAt",
            (SELECT count(*)::int FROM unnest(recent) AS t WHERE t > now() - interval '1 hour') AS used
     FROM request_windows WHERE subject = ANY(?)`,
    [keys.map(({ id }) => `key:${id}`)] as never,
  )) as { rows: { subject: string; used: number; lastUsedAt: Date }[] };
  const windows = new Map(rows.map((row) => [row.subject, row]));
  return keys.map((key) => {
    const window = windows.get(`key:${key.id}`);
    return { key, used: window?.used ?? 0, lastUsedAt: window?.lastUsedAt };
  });
}

/** Another user's key is not told apart from one that does not exist. */
export async function revokeOwnKey(db: Database, userId: string, id: string, now: Date): Promise<boolean> {
  if (!isUuid(id)) return false;
  const key = await ApiKey.query(db).findOne({ id, user_id: userId });
  if (key && !key.revokedAt) await key.$query(db).patch({ revokedAt: now });
  return key !== undefined;
}
