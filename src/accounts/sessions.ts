import { Model, snakeCaseMappers } from 'objection';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { digestOf, newToken, sealText, unsealText } from './secrets.ts';
import { changedMeanwhile, isBlockedSql, User } from './users.ts';

/** A session ends when it was not used for this long, */
const idleMs = 7 * dayMs;
/** and in any case this long after sign-in. */
export const sessionLifetimeMs = 30 * dayMs;
/** `seen_at` is written at most this often. */
const seenIntervalMs = 5 * 60_000;
/** Beyond this, the sessions that were used least recently are ended. */
const maxPerUser = 50;
const secretLifetimeMs = 120_000;
const secretPurpose = 'one-time-secret';

export class Session extends Model {
  static override tableName = 'sessions';
  static override idColumn = 'token_hash';
  static override columnNameMappers = snakeCaseMappers();

  declare tokenHash: Buffer;
  declare userId: string;
  /** Browser and system. Null for sessions of the previous release. */
  declare device: string | null;
  declare createdAt: Date;
  declare seenAt: Date;
  /** When the OpenID provider last confirmed that it is the owner. */
  declare confirmedAt: Date | null;

  static endOldest(db: Database, userId: string): Promise<unknown> {
    return db.raw(
      `DELETE FROM sessions WHERE token_hash IN (
         SELECT token_hash FROM sessions WHERE user_id = ? ORDER BY seen_at DESC, created_at DESC OFFSET ?
       )`,
      [userId, maxPerUser - 1],
    );
  }

  /** Waits for a password change in progress, which ends all sessions, and then inserts nothing. */
  static async start(
    db: Database,
    {
      tokenHash,
      userId,
      device,
      confirmedAt,
    }: Pick<Session, 'tokenHash' | 'userId' | 'device' | 'confirmedAt'>,
    passwordHash: string | null | undefined,
    now: Date,
  ): Promise<boolean> {
    const { rowCount } = (await db.raw(
      `INSERT INTO sessions (token_hash, user_id, created_at, seen_at, device, confirmed_at)
       SELECT :tokenHash, id, :now, :now, :device, :confirmedAt FROM users
       WHERE id = :userId AND (NOT :isChecked OR password_hash IS NOT DISTINCT FROM :passwordHash)
       FOR SHARE`,
      {
        tokenHash,
        userId,
        now,
        device,
        confirmedAt,
        isChecked: passwordHash !== undefined,
        passwordHash: passwordHash ?? null,
      } as never,
    )) as { rowCount: number };
    return rowCount > 0;
  }

  /** The sessions that still work. */
  static open(db: Database, now: Date) {
    return Session.query(db)
      .where('created_at', '>', new Date(now.getTime() - sessionLifetimeMs))
      .where('seen_at', '>', new Date(now.getTime() - idleMs));
  }
}

interface SessionOptions {
  device?: string | undefined;
  /** The hash that the password was checked against. Undefined: it was not. */
  passwordHash?: string | null;
  /** Whether the OpenID provider has just authenticated the owner. */
  isConfirmed?: boolean;
}

/** Returns the token for the cookie; only its hash is stored. */
export async function startSession(
  db: Database,
  userId: string,
  now: Date,
  { device, passwordHash, isConfirmed = false }: SessionOptions = {},
): Promise<string> {
  const token = newToken();
  await Session.endOldest(db, userId);
  const session = {
    tokenHash: digestOf(token),
    userId,
    device: device ?? null,
    confirmedAt: isConfirmed ? now : null,
  };
  if (!(await Session.start(db, session, passwordHash, now))) throw changedMeanwhile();
  return token;
}

interface FoundSession {
  user: User;
  /** When the OpenID provider last confirmed that it is the owner. */
  confirmedAt: Date | null;
}

export async function findSession(db: Database, token: string, now: Date): Promise<FoundSession | undefined> {
  const session = await Session.open(db, now).findById(digestOf(token));
  if (!session) return undefined;
  if (now.getTime() - session.seenAt.getTime() > seenIntervalMs)
    await session.$query(db).patch({ seenAt: now });
  const user = await User.query(db)
    .findById(session.userId)
    .whereRaw(`NOT ${isBlockedSql('users.id')}`);
  return user && { user, confirmedAt: session.confirmedAt };
}

export async function findSessionUser(db: Database, token: string, now: Date): Promise<User | undefined> {
  return (await findSession(db, token, now))?.user;
}

/** The OpenID provider has authenticated its owner again. */
export async function confirmSession(db: Database, token: string, now: Date): Promise<void> {
  await Session.query(db).findById(digestOf(token)).patch({ confirmedAt: now });
}

export async function endSession(db: Database, token: string): Promise<void> {
  await Session.query(db).deleteById(digestOf(token));
}

/** After a password change: ends the sessions of anyone who knew the old one. */
export async function endSessionsOf(db: Database, userId: string): Promise<void> {
  await Session.query(db).where({ user_id: userId }).delete();
}

/** Ends a session of the list, which may be that of the browser itself. */
export async function endListedSession(db: Database, userId: string, id: string): Promise<void> {
  await Session.query(db).deleteById(Buffer.from(id, 'base64url')).where({ user_id: userId });
}

export interface OpenSession extends Pick<Session, 'device' | 'createdAt' | 'seenAt'> {
  /** Its hash, with which nobody can sign in. */
  id: string;
  isCurrent: boolean;
}

/** The most recently used first. */
export async function listSessions(
  db: Database,
  userId: string,
  currentToken: string,
  now: Date,
): Promise<OpenSession[]> {
  const sessions = await Session.open(db, now).where({ user_id: userId }).orderBy('seen_at', 'desc');
  const current = digestOf(currentToken);
  return sessions.map(({ tokenHash, device, createdAt, seenAt }) => ({
    id: tokenHash.toString('base64url'),
    device,
    createdAt,
    seenAt,
    isCurrent: tokenHash.equals(current),
  }));
}

export async function purgeOldSessions(db: Database, now: Date): Promise<number> {
  return Session.query(db)
    .where('created_at', '<=', new Date(now.getTime() - sessionLifetimeMs))
    .orWhere('seen_at', '<=', new Date(now.getTime() - idleMs))
    .delete();
}

class OneTimeSecret extends Model {
  static override tableName = 'one_time_secrets';
  static override idColumn = 'session_token_hash';
  static override columnNameMappers = snakeCaseMappers();

  declare sessionTokenHash: Buffer;
  declare sealed: Buffer;
  declare expiresAt: Date;

  /** Inserts nothing where the session has ended in the meantime. */
  static keep(db: Database, secret: { tokenHash: Buffer; sealed: Buffer; expiresAt: Date }) {
    return db.raw(
      `INSERT INTO one_time_secrets (session_token_hash, sealed, expires_at)
       SELECT token_hash, :sealed, :expiresAt FROM sessions WHERE token_hash = :tokenHash
       ON CONFLICT (session_token_hash) DO UPDATE SET sealed = excluded.sealed, expires_at = excluded.expires_at`,
      secret,
    );
  }
}

/**
 * Stores a text that one session can read once. Its encryption key is derived from the session token, of which the database
 * has only a hash: neither a cookie nor a copy of the database is enough to read it.
 */
export async function keepOneTimeSecret(
  db: Database,
  sessionToken: string,
  text: string,
  now: Date,
): Promise<void> {
  await OneTimeSecret.keep(db, {
    tokenHash: digestOf(sessionToken),
    sealed: sealText(text, sessionToken, secretPurpose),
    expiresAt: new Date(now.getTime() + secretLifetimeMs),
  });
}

/** Reads and deletes the text: a second call returns undefined. */
export async function takeOneTimeSecret(
  db: Database,
  sessionToken: string,
  now: Date,
): Promise<string | undefined> {
  const [secret] = await OneTimeSecret.query(db)
    .where({ session_token_hash: digestOf(sessionToken) })
    .delete()
    .returning('*');
  return secret && secret.expiresAt > now
    ? unsealText(secret.sealed, sessionToken, secretPurpose)
    : undefined;
}

export async function purgeOneTimeSecrets(db: Database, now: Date): Promise<number> {
  return OneTimeSecret.query(db).where('expires_at', '<=', now).delete();
}
