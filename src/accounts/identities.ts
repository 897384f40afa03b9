import { Model, type ModelObject, snakeCaseMappers } from 'objection';
import type { Database } from '../store/database.ts';
import { User } from './users.ts';

/** An account of an OpenID provider that signs in to an account of ours. An account has at most one of each issuer. */
export class Identity extends Model {
  static override tableName = 'identities';
  static override idColumn = ['issuer', 'subject'];
  static override columnNameMappers = snakeCaseMappers();

  declare issuer: string;
  declare subject: string;
  declare userId: string;
  /** The verified address when it was linked. */
  declare email: string;
  declare createdAt: Date;
  declare lastUsedAt: Date;

  static async add(transaction: Database, identity: ModelObject<Identity>): Promise<boolean> {
    const added = (await transaction('identities')
      .insert(Identity.fromJson(identity).$toDatabaseJson())
      .onConflict()
      .ignore()
      .returning('issuer')) as unknown[];
    return added.length > 0;
  }
}

export type IdentityKey = Pick<Identity, 'issuer' | 'subject'>;

export async function listIdentities(db: Database, userId: string): Promise<Identity[]> {
  return Identity.query(db).where({ user_id: userId }).orderBy('created_at');
}

/** The account that it signs in to. */
export async function useIdentity(
  db: Database,
  { issuer, subject }: IdentityKey,
  now: Date,
): Promise<User | undefined> {
  const [used] = await Identity.query(db)
    .where({ issuer, subject })
    .patch({ lastUsedAt: now })
    .returning('user_id');
  return used && User.query(db).findById(used.userId);
}

/** 'taken': it signs in to another account. 'other': another one of the same issuer signs in to this account. */
export async function linkIdentity(
  db: Database,
  { issuer, subject, email, userId }: IdentityKey & { email: string; userId: string },
  now: Date,
): Promise<'linked' | 'known' | 'taken' | 'other'> {
  return db.transaction(async (transaction) => {
    await User.lock(transaction, userId);
    const identity = { issuer, subject, email, userId, createdAt: now, lastUsedAt: now };
    if (await Identity.add(transaction, identity)) return 'linked';
    const existing = await Identity.query(transaction).findById([issuer, subject]);
    if (!existing) return 'other';
    return existing.userId === userId ? 'known' : 'taken';
  });
}

export async function unlinkIdentities(db: Database, userId: string): Promise<number> {
  return Identity.query(db).where({ user_id: userId }).delete();
}
