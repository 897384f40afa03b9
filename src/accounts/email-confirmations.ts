import { createHash, randomBytes } from 'node:crypto';
import { dayMs } from '../runtime/units.ts';
import { type Database, sqlState } from '../store/database.ts';
import { isBlockedSql } from './blocked-account-sql.ts';
import { lockUnchanged } from './lock-unchanged.ts';
import { User } from './users.ts';

const lifetimeMs = dayMs;
const tokenPattern = /^[\w-]{43}$/;
const uniqueViolation = '23505';

const digestOf = (token: string) => createHash('sha256').update(token).digest();

/**
 * Asks for the confirmation of an address: the account's own, or the one that it is to have. Replaces an earlier one.
 * `checked`: the account, whose password was checked. It must not have changed since.
 */
export async function requestConfirmation(
  db: Database,
  { userId, email, checked }: { userId: string; email: string; checked?: User | undefined },
  now: Date,
): Promise<void> {
  await db.transaction(async (transaction) => {
    if (checked) await lockUnchanged(transaction, checked);
    await transaction('email_confirmations')
      .insert({
        user_id: userId,
        email,
        token_hash: null,
        expires_at: new Date(now.getTime() + lifetimeMs),
      })
      .onConflict('user_id')
      .merge();
  });
}

/** The address that waits to be confirmed. */
export async function findPendingEmail(db: Database, userId: string, now: Date): Promise<string | undefined> {
  const row = (await db('email_confirmations')
    .where({ user_id: userId })
    .where('expires_at', '>', now)
    .first('email')) as { email: string } | undefined;
  return row?.email;
}

/** A new link, which replaces that of an earlier mail. Only its hash is stored. Undefined if another address waits, or none. */
export async function createConfirmationToken(
  db: Database,
  { userId, email }: { userId: string; email: string },
  now: Date,
): Promise<string | undefined> {
  const token = randomBytes(32).toString('base64url');
  const updated = await db('email_confirmations')
    .where({ user_id: userId, email })
    .where('expires_at', '>', now)
    .update({ token_hash: digestOf(token), expires_at: new Date(now.getTime() + lifetimeMs) });
  return updated === 0 ? undefined : token;
}

export interface Confirmation {
  user: User;
  email: string;
}

/** Looking does not use the link up: mail programs open links too. */
export async function findConfirmation(
  db: Database,
  token: string,
  now: Date,
): Promise<Confirmation | undefined> {
  if (!tokenPattern.test(token)) return undefined;
  const row = (await db('email_confirmations')
    .where({ token_hash: digestOf(token) })
    .where('expires_at', '>', now)
    .whereRaw(`NOT ${isBlockedSql('user_id')}`)
    .first('user_id', 'email')) as { user_id: string; email: string } | undefined;
  const user = row && (await User.query(db).findById(row.user_id));
  return user && { user, email: row.email };
}

/** Uses the link up. `user` is the account as it was before. 'taken': another account has the address by now. */
export async function confirmEmail(
  db: Database,
  token: string,
  now: Date,
): Promise<Confirmation | 'taken' | undefined> {
  try {
    return await db.transaction(async (transaction) => {
      const found = await findConfirmation(transaction, token, now);
      // Of parallel requests, one deletes the row; the others wait for it and find none.
      const used = await transaction('email_confirmations')
        .where({ token_hash: digestOf(token) })
        .delete();
      if (!found || used === 0) return undefined;
      const { user, email } = found;
      await User.query(transaction).findById(user.id).patch({ email, confirmedEmail: email, updatedAt: now });
      // Whoever reads the mails of the old address has no say any more.
      if (email.toLowerCase() !== user.email.toLowerCase())
        await transaction('sign_in_links').where({ user_id: user.id }).delete();
      return found;
    });
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return 'taken';
    throw error;
  }
}

export async function purgeConfirmations(db: Database, now: Date): Promise<number> {
  return db('email_confirmations').where('expires_at', '<=', now).delete();
}
