import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../store/database.ts';

export const challengeLifetimeMs = 10 * 60_000;

const digestOf = (token: string) => createHash('sha256').update(token).digest();

export interface SignInChallenge {
  /** Whose password was right. Null: a passkey is to tell who it is. */
  userId: string | null;
  /** What a passkey has to sign. */
  challenge: string | null;
}

/** Returns the token for the cookie; only its hash is stored. */
export async function startChallenge(
  db: Database,
  { userId, challenge }: SignInChallenge,
  now: Date,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db('sign_in_challenges').insert({
    token_hash: digestOf(token),
    user_id: userId,
    challenge,
    expires_at: new Date(now.getTime() + challengeLifetimeMs),
  });
  return token;
}

export async function findChallenge(
  db: Database,
  token: string,
  now: Date,
): Promise<SignInChallenge | undefined> {
  const row = (await db('sign_in_challenges')
    .where({ token_hash: digestOf(token) })
    .where('expires_at', '>', now)
    .first('user_id', 'challenge')) as { user_id: string | null; challenge: string | null } | undefined;
  return row && { userId: row.user_id, challenge: row.challenge };
}

/** Finds and deletes it: a signature counts once. */
export async function takeChallenge(
  db: Database,
  token: string,
  now: Date,
): Promise<SignInChallenge | undefined> {
  const [row] = (await db('sign_in_challenges')
    .where({ token_hash: digestOf(token) })
    .where('expires_at', '>', now)
    .delete()
    .returning(['user_id', 'challenge'])) as { user_id: string | null; challenge: string | null }[];
  return row && { userId: row.user_id, challenge: row.challenge };
}

export async function purgeChallenges(db: Database, now: Date): Promise<number> {
  return db('sign_in_challenges').where('expires_at', '<=', now).delete();
}
