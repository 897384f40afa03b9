import { createHash, randomBytes } from 'node:crypto';
import { dayMs, hourMs } from '../runtime/units.ts';
import { type Database, sqlState } from '../store/database.ts';
import { type ProgramAccess, revokeAccess } from './api-keys.ts';
import { endSessionsOf } from './sessions.ts';
import { hasConfirmedEmail, isBlockedSql, lockUnchanged, User } from './users.ts';

const linkLifetimeMs = hourMs;
const confirmationLifetimeMs = dayMs;
const uniqueViolation = '23505';
const tokenPattern = /^[\w-]{43}$/;

const digestOf = (text: string) => createHash('sha256').update(text).digest();
const passwordDigest = ({ passwordHash }: User) => digestOf(passwordHash ?? '');
const emailDigest = ({ email }: User) => digestOf(email.toLowerCase());

/**
 * A link with which its owner chooses a new password. Returns its token; only a hash is stored. It replaces earlier links
 * of the account, works once, for an hour, and only until the password changes, or the address that it is mailed to.
 */
export async function createSignInLink(
  db: Database,
  user: User,
  now: Date,
  { isMailed }: { isMailed: boolean },
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db('sign_in_links')
    .insert({
      user_id: user.id,
      token_hash: digestOf(token),
      password_digest: passwordDigest(user),
      email_digest: isMailed ? emailDigest(user) : null,
      expires_at: new Date(now.getTime() + linkLifetimeMs),
    })
    .onConflict('user_id')
    .merge();
  return token;
}

interface Link {
  user_id: string;
  password_digest: Buffer;
  email_digest: Buffer | null;
}

async function findLink(
  db: Database,
  token: string,
  now: Date,
): Promise<{ user: User; isMailed: boolean } | undefined> {
  if (!tokenPattern.test(token)) return undefined;
  const link = (await db('sign_in_links')
    .where({ token_hash: digestOf(token) })
    .where('expires_at', '>', now)
    .whereRaw(`NOT ${isBlockedSql('user_id')}`)
    .first('user_id', 'password_digest', 'email_digest')) as Link | undefined;
  const user = link && (await User.query(db).findById(link.user_id));
  if (!user || !link.password_digest.equals(passwordDigest(user))) return undefined;
  // From an operator: it must not open the account of another one, also if that became one only now.
  if (!link.email_digest && user.isAdmin) return undefined;
  // Whoever reads the mails of an earlier address has no say any more.
  if (link.email_digest && !link.email_digest.equals(emailDigest(user))) return undefined;
  return { user, isMailed: link.email_digest !== null };
}

/** The account of a link that works. Looking does not use it up: mail programs open links too. */
export async function findLinkedUser(
  db: Database,
  token: string,
  now: Date,
): Promise<LinkedUser | undefined> {
  const found = await findLink(db, token, now);
  return found && { user: found.user, mayKeepPassword: mayKeepPassword(found) };
}

interface LinkedUser {
  user: User;
  /** Whether the link also signs in without a new password. */
  mayKeepPassword: boolean;
}

/** Only a mailed one, to an address that is known to be the owner's. An operator must not get in unnoticed. */
const mayKeepPassword = ({ user, isMailed }: { user: User; isMailed: boolean }) =>
  isMailed && user.passwordHash !== null && hasConfirmedEmail(user);

/** Uses the link up and changes nothing. Undefined where it does not work any more, or only with a new password. */
export async function signInByLink(db: Database, token: string, now: Date): Promise<User | undefined> {
  return db.transaction(async (transaction) => {
    const found = await findLink(transaction, token, now);
    if (!found || !mayKeepPassword(found)) return undefined;
    // Of parallel requests, one deletes the row; the others wait for it and find none.
    const used = await transaction('sign_in_links')
      .where({ token_hash: digestOf(token) })
      .delete();
    return used > 0 ? found.user : undefined;
  });
}

interface UsedLink {
  user: User;
  /** Whoever had the account before may have been somebody else: what was revoked and disabled. */
  revoked: ProgramAccess;
}

/** Uses the link up and sets the password. Undefined where the link does not work any more. */
export async function useSignInLink(
  db: Database,
  token: string,
  passwordHash: string,
  now: Date,
): Promise<UsedLink | undefined> {
  return db.transaction(async (transaction) => {
    // Locked, so that the password cannot change after it was compared.
    await transaction.raw(
      'SELECT FROM users WHERE id = (SELECT user_id FROM sign_in_links WHERE token_hash = ?) FOR UPDATE',
      [digestOf(token)],
    );
    const found = await findLink(transaction, token, now);
    // Of parallel requests, one deletes the row; the others wait for it and find none.
    const used = await transaction('sign_in_links')
      .where({ token_hash: digestOf(token) })
      .delete();
    if (!found || used === 0) return undefined;
    const { user, isMailed } = found;
    // Anybody can sign up with an address. The first proof that it is theirs is this link.
    const isFirstProof = isMailed && !hasConfirmedEmail(user);
    await changePassword(transaction, user, passwordHash, now);
    if (!isFirstProof) return { user, revoked: { keys: 0, webhooks: 0 } };
    await user.$query(transaction).patch({ confirmedEmail: user.email });
    return { user, revoked: await revokeAccess(transaction, user.id, now) };
  });
}

export async function purgeSignInLinks(db: Database, now: Date): Promise<number> {
  return db('sign_in_links').where('expires_at', '<=', now).delete();
}

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
        expires_at: new Date(now.getTime() + confirmationLifetimeMs),
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
    .update({ token_hash: digestOf(token), expires_at: new Date(now.getTime() + confirmationLifetimeMs) });
  return updated === 0 ? undefined : token;
}

interface Confirmation {
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

/**
 * Sets the password, and ends what somebody who knew the old one may have begun: sessions, sign-ins that wait for a second
 * factor, links to a new password, and a change to another email that is not confirmed yet. Fails where `user` has another
 * password by now.
 */
export async function changePassword(
  db: Database,
  user: User,
  passwordHash: string,
  now: Date,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await lockUnchanged(transaction, user);
    await user.$query(transaction).patch({ passwordHash, updatedAt: now });
    await endSessionsOf(transaction, user.id);
    for (const table of ['sign_in_challenges', 'sign_in_links'])
      await transaction(table).where({ user_id: user.id }).delete();
    await transaction('email_confirmations')
      .where({ user_id: user.id })
      .whereRaw('lower(email) <> lower(?)', [user.email])
      .delete();
  });
}
