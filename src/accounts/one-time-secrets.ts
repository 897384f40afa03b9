import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { sessionHash } from './sessions.ts';

const lifetimeMs = 120_000;
const ivBytes = 12;
const tagBytes = 16;

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
      sealed: seal(sessionToken, text),
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
  return row && row.expires_at > now ? unseal(sessionToken, row.sealed) : undefined;
}

export async function purgeOneTimeSecrets(db: Database, now: Date): Promise<number> {
  return db('one_time_secrets').where('expires_at', '<=', now).delete();
}

function seal(sessionToken: string, text: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(sessionToken), iv);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

function unseal(sessionToken: string, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(sessionToken), sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  const encrypted = sealed.subarray(ivBytes + tagBytes);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
}

function keyOf(sessionToken: string): Buffer {
  return Buffer.from(hkdfSync('sha256', sessionToken, '', 'one-time-secret', 32));
}
