import type { Database } from '../store/database.ts';
import { sealText, unsealText } from './sealed-text.ts';
import { sessionHash } from './sessions.ts';

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
