import { createHash, randomBytes } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Database } from '../store/database.ts';
import { changeFactors } from './second-factors.ts';
import type { User } from './users.ts';

export interface Passkey {
  credentialId: string;
  name: string;
  createdAt: Date;
  usedAt: Date | null;
}

interface PasskeyRow {
  credential_id: string;
  user_id: string;
  public_key: Buffer;
  counter: string;
  transports: string;
}

const maxPasskeys = 20;

/** The site that passkeys belong to: they work for its host name only. */
interface PasskeySite {
  host: string;
  origin: string;
}

export function passkeySite(baseUrl: string): PasskeySite {
  const { hostname, origin } = new URL(baseUrl);
  return { host: hostname, origin };
}

// Loaded when it is used: it takes longer to load than most of the service.
const library = () => import('@simplewebauthn/server');

export async function listPasskeys(db: Database, userId: string): Promise<Passkey[]> {
  return (await db('passkeys').where({ user_id: userId }).orderBy('created_at').select({
    credentialId: 'credential_id',
    name: 'name',
    createdAt: 'created_at',
    usedAt: 'used_at',
  })) as Passkey[];
}

const transportsOf = ({ transports }: { transports: string }) =>
  transports === '' ? [] : transports.split(',');

async function credentialsOf(db: Database, userId: string) {
  const rows = (await db('passkeys').where({ user_id: userId })) as PasskeyRow[];
  return rows.map((row) => ({ id: row.credential_id, transports: transportsOf(row) }));
}

/** For the browser, to create a passkey. */
export async function registrationOptions(
  db: Database,
  site: PasskeySite,
  user: User,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: 'Qrelay',
    rpID: site.host,
    userName: user.email,
    userID: new TextEncoder().encode(user.id),
    excludeCredentials: await credentialsOf(db, user.id),
    // Discoverable and with a PIN or fingerprint, so that it can replace email and password.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** False where the response is not valid for the challenge, or there are too many passkeys. */
export async function addPasskey(
  db: Database,
  site: PasskeySite,
  user: User,
  { response, challenge, name }: { response: unknown; challenge: string; name: string },
  now: Date,
): Promise<boolean> {
  const { verifyRegistrationResponse } = await library();
  const result = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!result?.verified) return false;
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
  const known = transports.filter((transport) => /^[a-z-]{1,20}$/.test(transport)).slice(0, 10);
  if ((await credentialsOf(db, user.id)).length >= maxPasskeys) return false;
  const added = await changeFactors(
    db,
    user.id,
    (transaction) =>
      transaction('passkeys')
        .insert({
          credential_id: id,
          user_id: user.id,
          public_key: Buffer.from(publicKey),
          counter,
          transports: known.join(','),
          name,
          created_at: now,
        })
        .onConflict('credential_id')
        .ignore()
        .returning('credential_id') as Promise<unknown[]>,
  );
  return added.length > 0;
}

/** For the browser, to sign in: with any passkey of the site, or with one of the user's. */
export async function signInOptions(
  db: Database,
  site: PasskeySite,
  userId: string | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: site.host,
    ...(userId !== null && { allowCredentials: await credentialsOf(db, userId) }),
    userVerification: 'required',
  });
}

/** The id of the user whose passkey has signed the challenge. */
export async function usePasskey(
  db: Database,
  site: PasskeySite,
  { response, challenge }: { response: unknown; challenge: string },
  now: Date,
): Promise<string | undefined> {
  const id: unknown = typeof response === 'object' && response !== null && Reflect.get(response, 'id');
  if (typeof id !== 'string') return undefined;
  const row = (await db('passkeys').where({ credential_id: id }).first()) as PasskeyRow | undefined;
  if (!row) return undefined;
  const { verifyAuthenticationResponse } = await library();
  const result = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    credential: {
      id,
      publicKey: new Uint8Array(row.public_key),
      counter: Number(row.counter),
      transports: transportsOf(row),
    },
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!result?.verified) return undefined;
  const { newCounter } = result.authenticationInfo;
  await db('passkeys').where({ credential_id: id }).update({ counter: newCounter, used_at: now });
  return row.user_id;
}

export async function removePasskey(db: Database, userId: string, credentialId: string): Promise<boolean> {
  const removed = await changeFactors(db, userId, (transaction) =>
    transaction('passkeys').where({ user_id: userId, credential_id: credentialId }).delete(),
  );
  return removed > 0;
}

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
