import { Model, snakeCaseMappers } from 'objection';
import type { Database } from '../store/database.ts';
import { digestOf, newToken, sealText, unsealText } from './secrets.ts';

const lifetimeMs = 10 * 60_000;
const statePattern = /^[\w-]{43}$/;
const sealPurpose = 'openid-request';

class OpenIdRequestRow extends Model {
  static override tableName = 'openid_requests';
  static override idColumn = 'state_hash';
  static override columnNameMappers = snakeCaseMappers();

  declare stateHash: Buffer;
  declare browserHash: Buffer;
  declare sealed: Buffer;
  declare expiresAt: Date;
}

/** What the browser was sent to the provider for. */
export type OpenIdPurpose =
  | { kind: 'sign-in'; next: string | undefined }
  /** To let the provider's account sign in to the account of a user who is signed in. */
  | { kind: 'link'; userId: string }
  /** Instead of the password, to change the account. */
  | { kind: 'confirm'; userId: string; next: string };

export interface OpenIdRequest {
  state: string;
  nonce: string;
  codeVerifier: string;
  startedAt: Date;
  purpose: OpenIdPurpose;
}

/** Stored encrypted with the state, of which only a hash is stored. `browser`: a secret in a cookie of the browser. */
export async function startOpenIdRequest(
  db: Database,
  browser: string,
  purpose: OpenIdPurpose,
  now: Date,
): Promise<OpenIdRequest> {
  const [state, nonce, codeVerifier] = [newToken(), newToken(), newToken()];
  const content = JSON.stringify({ nonce, codeVerifier, purpose, startedAt: now.getTime() });
  await OpenIdRequestRow.query(db).insert({
    stateHash: digestOf(state),
    browserHash: digestOf(browser),
    sealed: sealText(content, state, sealPurpose),
    expiresAt: new Date(now.getTime() + lifetimeMs),
  });
  return { state, nonce, codeVerifier, startedAt: now, purpose };
}

/** Finds and deletes it: of several parallel requests with one state, one gets it. Another browser does not. */
export async function takeOpenIdRequest(
  db: Database,
  browser: string,
  state: unknown,
  now: Date,
): Promise<OpenIdRequest | undefined> {
  if (typeof state !== 'string' || !statePattern.test(state)) return undefined;
  const [taken] = await OpenIdRequestRow.query(db)
    .where({ state_hash: digestOf(state), browser_hash: digestOf(browser) })
    .delete()
    .returning('*');
  if (!taken || taken.expiresAt <= now) return undefined;
  const { startedAt, ...content } = JSON.parse(unsealText(taken.sealed, state, sealPurpose)) as Omit<
    OpenIdRequest,
    'state' | 'startedAt'
  > & { startedAt: number };
  return { state, ...content, startedAt: new Date(startedAt) };
}

export async function purgeOpenIdRequests(db: Database, now: Date): Promise<number> {
  return OpenIdRequestRow.query(db).where('expires_at', '<=', now).delete();
}
