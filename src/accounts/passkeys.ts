import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Brand } from '../brand.ts';
import type { Database } from '../store/database.ts';
import { Model, snakeCaseMappers } from 'objection';
import { digestOf, newToken } from './secrets.ts';
import { changeFactors, Passkey } from './second-factors.ts';
import type { User } from './users.ts';

const maxPasskeys = 20;

/** The site that passkeys belong to: they work for its host name only. */
interface PasskeySite {
  /** Of the service, for the person. */
  name: string;
  host: string;
  origin: string;
}

export function passkeySite({ baseUrl, brand }: { baseUrl: string; brand: Brand }): PasskeySite {
  const { hostname, origin } = new URL(baseUrl);
  return { name: brand.name, host: hostname, origin };
}

// Loaded when it is used: it takes longer to load than most of the service.
const library = () => import('@simplewebauthn/server');

export async function listPasskeys(db: Database, userId: string): Promise<Passkey[]> {
  return Passkey.query(db).where({ user_id: userId }).orderBy('created_at');
}

const transportsOf = ({ transports }: Passkey) => (transports === '' ? [] : transports.split(','));

async function credentialsOf(db: Database, userId: string) {
  const passkeys = await Passkey.query(db).where({ user_id: userId });
  return passkeys.map((passkey) => ({ id: passkey.credentialId, transports: transportsOf(passkey) }));
}

/** For the browser, to create a passkey. */
export async function registrationOptions(
  db: Database,
  site: PasskeySite,
  user: User,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: site.name,
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
  const passkey = {
    credentialId: id,
    userId: user.id,
    publicKey: Buffer.from(publicKey),
    counter,
    transports: known.join(','),
    name,
    createdAt: now,
  };
  return changeFactors(db, user.id, (transaction) => Passkey.add(transaction, passkey));
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
  const passkey = await Passkey.query(db).findById(id);
  if (!passkey) return undefined;
  const { verifyAuthenticationResponse } = await library();
  const result = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    credential: {
      id,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
      transports: transportsOf(passkey),
    },
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!result?.verified) return undefined;
  const { newCounter } = result.authenticationInfo;
  await passkey.$query(db).patch({ counter: newCounter, usedAt: now });
  return passkey.userId;
}

export async function removePasskey(db: Database, userId: string, credentialId: string): Promise<boolean> {
  const removed = await changeFactors(db, userId, (transaction) =>
    Passkey.query(transaction).deleteById(credentialId).where({ user_id: userId }),
  );
  return removed > 0;
}

export const challengeLifetimeMs = 10 * 60_000;

export class SignInChallenge extends Model {
  static override tableName = 'sign_in_challenges';
  static override idColumn = 'token_hash';
  static override columnNameMappers = snakeCaseMappers();

  declare tokenHash: Buffer;
  /** User who passed the password step. Null: a passkey identifies the user. */
  declare userId: string | null;
  /** What a passkey has to sign. */
  declare challenge: string | null;
  declare expiresAt: Date;
}

/** A sign-in that waits for a second factor, or for a passkey. */
export type PendingSignIn = Pick<SignInChallenge, 'userId' | 'challenge'>;

/** Returns the token for the cookie; only its hash is stored. */
export async function startChallenge(
  db: Database,
  { userId, challenge }: PendingSignIn,
  now: Date,
): Promise<string> {
  const token = newToken();
  await SignInChallenge.query(db).insert({
    tokenHash: digestOf(token),
    userId,
    challenge,
    expiresAt: new Date(now.getTime() + challengeLifetimeMs),
  });
  return token;
}

export async function findChallenge(
  db: Database,
  token: string,
  now: Date,
): Promise<PendingSignIn | undefined> {
  return SignInChallenge.query(db).findById(digestOf(token)).where('expires_at', '>', now);
}

/** Finds and deletes it: a signature counts once. */
export async function takeChallenge(
  db: Database,
  token: string,
  now: Date,
): Promise<PendingSignIn | undefined> {
  const [taken] = await SignInChallenge.query(db)
    .where({ token_hash: digestOf(token) })
    .where('expires_at', '>', now)
    .delete()
    .returning('*');
  return taken;
}

export async function purgeChallenges(db: Database, now: Date): Promise<number> {
  return SignInChallenge.query(db).where('expires_at', '<=', now).delete();
}
