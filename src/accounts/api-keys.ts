import { Model, snakeCaseMappers } from 'objection';
import { v7 as uuidv7 } from 'uuid';
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
