import { createHash, randomBytes } from 'node:crypto';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { sealText, unsealText } from './secrets.ts';
import { changedMeanwhile, isBlockedSql, User } from './users.ts';

/** A session ends when it was not used for this long, */
const idleMs = 7 * dayMs;
/** and in any case this long after sign-in. */
export const sessionLifetimeMs = 30 * dayMs;
/** `seen_at` is written at most this often. */
const seenIntervalMs = 5 * 60_000;
/** Beyond this, the sessions that were used least recently are ended. */
const maxPerUser = 50;

const sessionHash = (token: string) => createHash('sha256').update(token).digest();

interface SessionOptions {
  device?: string | undefined;
  /** The hash that the password was checked against. Undefined: it was not. */
  passwordHash?: string | null;
}

/** Returns the token for the cookie; only its hash is stored. */
export async function startSession(
  db: Database,
  userId: string,
  now: Date,
  { device, passwordHash }: SessionOptions = {},
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db.raw(
    `DELETE FROM sessions WHERE token_hash IN (
       SELECT token_hash FROM sessions WHERE user_id = ? ORDER BY seen_at DESC, created_at DESC OFFSET ?
     )`,
    [userId, maxPerUser - 1],
  );
  // Waits for a change of the password that is under way, which ends all sessions, and then finds another one.
  const { rowCount } = (await db.raw(
    `INSERT INTO sessions (token_hash, user_id, created_at, seen_at, device)
     SELECT :tokenHash, id, :now, :now, :device FROM users
     WHERE id = :userId AND (NOT :isChecked OR password_hash IS NOT DISTINCT FROM :passwordHash)
     FOR SHARE`,
    {
      tokenHash: sessionHash(token),
      userId,
      now,
      device: device ?? null,
      isChecked: passwordHash !== undefined,
      passwordHash: passwordHash ?? null,
    } as never,
  )) as { rowCount: number };
  if (rowCount === 0) throw changedMeanwhile();
  return token;
}

export async function findSessionUser(db: Database, token: string, now: Date): Promise<User | undefined> {
  const tokenHash = sessionHash(token);
  const session = (await db('sessions')
    .where({ token_hash: tokenHash })
    .where('created_at', '>', new Date(now.getTime() - sessionLifetimeMs))
    .where('seen_at', '>', new Date(now.getTime() - idleMs))
    .first()) as { user_id: string; seen_at: Date } | undefined;
  if (!session) return undefined;
  if (now.getTime() - session.seen_at.getTime() > seenIntervalMs)
    await db('sessions').where({ token_hash: tokenHash }).update({ seen_at: now });
  return User.query(db)
    .findById(session.user_id)
    .whereRaw(`NOT ${isBlockedSql('users.id')}`);
}

export async function endSession(db: Database, token: string): Promise<void> {
  await db('sessions')
    .where({ token_hash: sessionHash(token) })
    .delete();
}

/** For a changed password: ends the sessions of anyone who knew the old one. */
export async function endSessionsOf(db: Database, userId: string): Promise<void> {
  await db('sessions').where({ user_id: userId }).delete();
}

/** One that is listed, which may be that of the browser itself. */
export async function endListedSession(db: Database, userId: string, id: string): Promise<void> {
  await db('sessions')
    .where({ user_id: userId, token_hash: Buffer.from(id, 'base64url') })
    .delete();
}

export interface OpenSession {
  /** Its hash, with which nobody can sign in. */
  id: string;
  /** Browser and system. Null for sessions of the previous release. */
  device: string | null;
  createdAt: Date;
  seenAt: Date;
  isCurrent: boolean;
}

/** The sessions that still work, the one used last first. */
export async function listSessions(
  db: Database,
  userId: string,
  currentToken: string,
  now: Date,
): Promise<OpenSession[]> {
  const rows = (await db('sessions')
    .where({ user_id: userId })
    .where('created_at', '>', new Date(now.getTime() - sessionLifetimeMs))
    .where('seen_at', '>', new Date(now.getTime() - idleMs))
    .orderBy('seen_at', 'desc')) as {
    token_hash: Buffer;
    device: string | null;
    created_at: Date;
    seen_at: Date;
  }[];
  const current = sessionHash(currentToken);
  return rows.map((row) => ({
    id: row.token_hash.toString('base64url'),
    device: row.device,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    isCurrent: row.token_hash.equals(current),
  }));
}

export async function purgeOldSessions(db: Database, now: Date): Promise<number> {
  return db('sessions')
    .where('created_at', '<=', new Date(now.getTime() - sessionLifetimeMs))
    .orWhere('seen_at', '<=', new Date(now.getTime() - idleMs))
    .delete();
}

const lifetimeMs = 120_000;
const purpose = 'one-time-secret';

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
  // Inserts nothing where the session has ended in the meantime.
  await db.raw(
    `INSERT INTO one_time_secrets (session_token_hash, sealed, expires_at)
     SELECT token_hash, :sealed, :expiresAt FROM sessions WHERE token_hash = :tokenHash
     ON CONFLICT (session_token_hash) DO UPDATE SET sealed = excluded.sealed, expires_at = excluded.expires_at`,
    {
      tokenHash: sessionHash(sessionToken),
      sealed: sealText(text, sessionToken, purpose),
      expiresAt: new Date(now.getTime() + lifetimeMs),
    },
  );
}

/** Reads and deletes the text: a second call returns undefined. */
export async function takeOneTimeSecret(
  db: Database,
  sessionToken: string,
  now: Date,
): Promise<string | undefined> {
  const [row] = (await db('one_time_secrets')
    .where({ session_token_hash: sessionHash(sessionToken) })
    .delete()
    .returning(['sealed', 'expires_at'])) as { sealed: Buffer; expires_at: Date }[];
  return row && row.expires_at > now ? unsealText(row.sealed, sessionToken, purpose) : undefined;
}

export async function purgeOneTimeSecrets(db: Database, now: Date): Promise<number> {
  return db('one_time_secrets').where('expires_at', '<=', now).delete();
}
