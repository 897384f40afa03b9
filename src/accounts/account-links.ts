import { Model, snakeCaseMappers } from 'objection';
import { dayMs, hourMs } from '../runtime/units.ts';
import { nameActor } from '../store/actor.ts';
import { type Database, sqlState } from '../store/database.ts';
import { type ProgramAccess, revokeAccess } from './api-keys.ts';
import { unlinkIdentities } from './identities.ts';
import { SignInChallenge } from './passkeys.ts';
import { digestOf, newToken } from './secrets.ts';
import { endSessionsOf } from './sessions.ts';
import { hasConfirmedEmail, isBlockedSql, lockUnchanged, personOf, uniqueViolation, User } from './users.ts';

const linkLifetimeMs = hourMs;
const confirmationLifetimeMs = dayMs;
const tokenPattern = /^[\w-]{43}$/;

const passwordDigest = ({ passwordHash }: User) => digestOf(passwordHash ?? '');
const emailDigest = ({ email }: User) => digestOf(email.toLowerCase());

class SignInLink extends Model {
  static override tableName = 'sign_in_links';
  static override idColumn = 'user_id';
  static override columnNameMappers = snakeCaseMappers();

  declare userId: string;
  declare tokenHash: Buffer;
  declare passwordDigest: Buffer;
  /** Null for a link that an operator created. */
  declare emailDigest: Buffer | null;
  declare expiresAt: Date;
}

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
  const token = newToken();
  await SignInLink.query(db)
    .insert({
      userId: user.id,
      tokenHash: digestOf(token),
      passwordDigest: passwordDigest(user),
      emailDigest: isMailed ? emailDigest(user) : null,
      expiresAt: new Date(now.getTime() + linkLifetimeMs),
    })
    .onConflict('user_id')
    .merge();
  return token;
}

interface FoundLink {
  user: User;
  isMailed: boolean;
}

async function findLink(db: Database, token: string, now: Date): Promise<FoundLink | undefined> {
  if (!tokenPattern.test(token)) return undefined;
  const link = await SignInLink.query(db)
    .findOne({ token_hash: digestOf(token) })
    .where('expires_at', '>', now)
    .whereRaw(`NOT ${isBlockedSql('user_id')}`);
  const user = link && (await User.query(db).findById(link.userId));
  if (!user || !link.passwordDigest.equals(passwordDigest(user))) return undefined;
  // An operator's link must not open the account of another operator, even one who became an operator afterwards.
  if (!link.emailDigest && user.isAdmin) return undefined;
  // Whoever reads the mail of an earlier address must not get in.
  if (link.emailDigest && !link.emailDigest.equals(emailDigest(user))) return undefined;
  return { user, isMailed: link.emailDigest !== null };
}

/** One of several parallel requests deletes the row; the others wait and find none. */
async function useUp(transaction: Database, token: string): Promise<boolean> {
  return (
    (await SignInLink.query(transaction)
      .where({ token_hash: digestOf(token) })
      .delete()) > 0
  );
}

interface LinkedUser {
  user: User;
  /** Whether the link also signs in without a new password. */
  mayKeepPassword: boolean;
}

/** The account of a link that works. Opening it does not use it up: mail programs open links too. */
export async function findLinkedUser(
  db: Database,
  token: string,
  now: Date,
): Promise<LinkedUser | undefined> {
  const found = await findLink(db, token, now);
  return found && { user: found.user, mayKeepPassword: mayKeepPassword(found) };
}

/** Only a link that was mailed to the owner's confirmed address: an operator must not get in unnoticed. */
const mayKeepPassword = ({ user, isMailed }: FoundLink) =>
  isMailed && user.passwordHash !== null && hasConfirmedEmail(user);

/** Uses the link up and changes nothing. Undefined if it does not work any more, or only with a new password. */
export async function signInByLink(db: Database, token: string, now: Date): Promise<User | undefined> {
  return db.transaction(async (transaction) => {
    const found = await findLink(transaction, token, now);
    if (!found || !mayKeepPassword(found)) return undefined;
    return (await useUp(transaction, token)) ? found.user : undefined;
  });
}

interface UsedLink {
  user: User;
  /** What was revoked and disabled, because somebody else may have had the account before. */
  revoked: ProgramAccess;
}

/** Uses the link up and sets the password. Undefined if the link does not work any more. */
export async function useSignInLink(
  db: Database,
  token: string,
  passwordHash: string,
  now: Date,
): Promise<UsedLink | undefined> {
  return db.transaction(async (transaction) => {
    // Locked, so that the password cannot change after it was compared.
    await User.query(transaction)
      .whereIn(
        'id',
        SignInLink.query(transaction)
          .where({ token_hash: digestOf(token) })
          .select('user_id'),
      )
      .forUpdate()
      .select('id');
    const found = await findLink(transaction, token, now);
    const isUsed = await useUp(transaction, token);
    if (!found || !isUsed) return undefined;
    const { user, isMailed } = found;
    await nameActor(transaction, personOf(user));
    const isFirstProof = isMailed && !hasConfirmedEmail(user);
    await changePassword(transaction, user, passwordHash, now);
    if (!isFirstProof) return { user, revoked: { keys: 0, webhooks: 0 } };
    return { user, revoked: await confirmOwnership(transaction, user, now) };
  });
}

/**
 * At the first proof that the address of an account is somebody's: anybody can sign up with an address, so everything
 * ends that would let another person in.
 */
export async function confirmOwnership(transaction: Database, user: User, now: Date): Promise<ProgramAccess> {
  await user.$query(transaction).patch({ confirmedEmail: user.email });
  await unlinkIdentities(transaction, user.id);
  return revokeAccess(transaction, user.id, now);
}

export async function purgeSignInLinks(db: Database, now: Date): Promise<number> {
  return SignInLink.query(db).where('expires_at', '<=', now).delete();
}

class EmailConfirmation extends Model {
  static override tableName = 'email_confirmations';
  static override idColumn = 'user_id';
  static override columnNameMappers = snakeCaseMappers();

  declare userId: string;
  declare email: string;
  /** Null until the mail is drafted. */
  declare tokenHash: Buffer | null;
  declare expiresAt: Date;
}

/**
 * Asks for the confirmation of an address: the account's own, or its new one. Replaces an earlier request. `checked`: the
 * account whose password was checked. It must not have changed since.
 */
export async function requestConfirmation(
  db: Database,
  { userId, email, checked }: { userId: string; email: string; checked?: User | undefined },
  now: Date,
): Promise<void> {
  await db.transaction(async (transaction) => {
    if (checked) await lockUnchanged(transaction, checked);
    await EmailConfirmation.query(transaction)
      .insert({
        userId,
        email,
        tokenHash: null,
        expiresAt: new Date(now.getTime() + confirmationLifetimeMs),
      })
      .onConflict('user_id')
      .merge();
  });
}

/** The address that waits to be confirmed. */
export async function findPendingEmail(db: Database, userId: string, now: Date): Promise<string | undefined> {
  return (await EmailConfirmation.query(db).findById(userId).where('expires_at', '>', now))?.email;
}

/** A new link, which replaces that of an earlier mail. Only its hash is stored. Undefined if another address waits, or none. */
export async function createConfirmationToken(
  db: Database,
  { userId, email }: { userId: string; email: string },
  now: Date,
): Promise<string | undefined> {
  const token = newToken();
  const updated = await EmailConfirmation.query(db)
    .findById(userId)
    .where({ email })
    .where('expires_at', '>', now)
    .patch({ tokenHash: digestOf(token), expiresAt: new Date(now.getTime() + confirmationLifetimeMs) });
  return updated === 0 ? undefined : token;
}

interface Confirmation {
  user: User;
  email: string;
}

/** Opening the link does not use it up: mail programs open links too. */
export async function findConfirmation(
  db: Database,
  token: string,
  now: Date,
): Promise<Confirmation | undefined> {
  if (!tokenPattern.test(token)) return undefined;
  const found = await EmailConfirmation.query(db)
    .findOne({ token_hash: digestOf(token) })
    .where('expires_at', '>', now)
    .whereRaw(`NOT ${isBlockedSql('user_id')}`);
  const user = found && (await User.query(db).findById(found.userId));
  return user && { user, email: found.email };
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
      // One of several parallel requests deletes the row; the others wait and find none.
      const used = await EmailConfirmation.query(transaction)
        .where({ token_hash: digestOf(token) })
        .delete();
      if (!found || used === 0) return undefined;
      const { user, email } = found;
      await User.query(transaction).findById(user.id).patch({ email, confirmedEmail: email, updatedAt: now });
      // Whoever reads the mail of the old address must not get in.
      if (email.toLowerCase() !== user.email.toLowerCase())
        await SignInLink.query(transaction).deleteById(user.id);
      return found;
    });
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return 'taken';
    throw error;
  }
}

export async function purgeConfirmations(db: Database, now: Date): Promise<number> {
  return EmailConfirmation.query(db).where('expires_at', '<=', now).delete();
}

/**
 * Sets the password, or removes it (null), and ends what somebody who knew the old one may have begun: sessions, sign-ins that wait for a second
 * factor, links to a new password, and a change to another email that is not confirmed yet. Fails if the password of `user`
 * has changed meanwhile.
 */
export async function changePassword(
  db: Database,
  user: User,
  passwordHash: string | null,
  now: Date,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await lockUnchanged(transaction, user);
    await user.$query(transaction).patch({ passwordHash, updatedAt: now });
    await endSessionsOf(transaction, user.id);
    await SignInChallenge.query(transaction).where({ user_id: user.id }).delete();
    await SignInLink.query(transaction).deleteById(user.id);
    await EmailConfirmation.query(transaction)
      .deleteById(user.id)
      .whereRaw('lower(email) <> lower(?)', [user.email]);
  });
}
