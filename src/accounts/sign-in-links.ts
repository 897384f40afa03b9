import { createHash, randomBytes } from 'node:crypto';
import { hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { isBlockedSql } from './blocked-account-sql.ts';
import { changePassword } from './change-password.ts';
import { User } from './users.ts';

const lifetimeMs = hourMs;
const tokenPattern = /^[\w-]{43}$/;

const digestOf = (text: string) => createHash('sha256').update(text).digest();
const passwordDigest = ({ passwordHash }: User) => digestOf(passwordHash ?? '');

/**
 * A link with which its owner chooses a new password. Returns its token; only a hash is stored. It replaces earlier links
 * of the account, works once, for an hour, and only until the password changes.
 */
export async function createSignInLink(db: Database, user: User, now: Date): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db('sign_in_links')
    .insert({
      user_id: user.id,
      token_hash: digestOf(token),
      password_digest: passwordDigest(user),
      expires_at: new Date(now.getTime() + lifetimeMs),
    })
    .onConflict('user_id')
    .merge();
  return token;
}

/** The account of a link that works. Looking does not use it up: mail programs open links too. */
export async function findLinkedUser(db: Database, token: string, now: Date): Promise<User | undefined> {
  if (!tokenPattern.test(token)) return undefined;
  const link = (await db('sign_in_links')
    .where({ token_hash: digestOf(token) })
    .where('expires_at', '>', now)
    .whereRaw(`NOT ${isBlockedSql('user_id')}`)
    .first('user_id', 'password_digest')) as { user_id: string; password_digest: Buffer } | undefined;
  const user = link && (await User.query(db).findById(link.user_id));
  return user && link.password_digest.equals(passwordDigest(user)) ? user : undefined;
}

/** Uses the link up and sets the password. Undefined where the link does not work any more. */
export async function useSignInLink(
  db: Database,
  token: string,
  passwordHash: string,
  now: Date,
): Promise<User | undefined> {
  return db.transaction(async (transaction) => {
    // Locked, so that the password cannot change after it was compared.
    await transaction.raw(
      'SELECT FROM users WHERE id = (SELECT user_id FROM sign_in_links WHERE token_hash = ?) FOR UPDATE',
      [digestOf(token)],
    );
    const user = await findLinkedUser(transaction, token, now);
    // Of parallel requests, one deletes the row; the others wait for it and find none.
    const used = await transaction('sign_in_links')
      .where({ token_hash: digestOf(token) })
      .delete();
    if (!user || used === 0) return undefined;
    await changePassword(transaction, user, passwordHash, now);
    return user;
  });
}

export async function purgeSignInLinks(db: Database, now: Date): Promise<number> {
  return db('sign_in_links').where('expires_at', '<=', now).delete();
}
