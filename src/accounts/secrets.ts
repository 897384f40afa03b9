import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { deriveKey, readStoredSecret, rootSecretsOf } from '../store/root-secrets.ts';

const unsubscribePattern = /^(([\da-f-]{36})\.([a-z-]{1,40}))\.([\w-]{43})$/;

const signUpLifetimeMs = dayMs;
const maxSignUpTokenLength = 2_000;
const responsePurpose = 'idempotent-response';

type Account = { id: string; passwordHash: string | null };

/** Somebody who wants an account. */
export interface SignUp {
  email: string;
  /** The page to open then. */
  next?: string | undefined;
}

/** `configured`: QRELAY_SECRET as a list. */
export async function loadSecrets(db: Database, configured: readonly string[] = []): Promise<ServiceSecrets> {
  return deriveSecrets(await readStoredSecret(db), configured);
}

export type ServiceSecrets = ReturnType<typeof deriveSecrets>;

/**
 * Everything derived from the root secrets: new values from the first; values of any are accepted. `stored`: the secret in
 * the database, unless it was removed.
 */
export function deriveSecrets(stored: Buffer | undefined, configured: readonly string[]) {
  const [root, ...others] = rootSecretsOf(stored, configured);
  const keys = (purpose: string) =>
    [deriveKey(root, purpose), ...others.map((other) => deriveKey(other, purpose))] as const;
  const [addressKey] = keys('client-address');
  const [emailKey] = keys('e-mail');
  const deviceKeys = keys('device');
  const formKeys = keys('form-token');
  const unsubscribeKeys = keys('unsubscribe');
  const proofKeys = keys('sign-in-proof');
  const openingKeys = keys('scan-job');
  const mail = sealWith(keys('mail-job'), 'mail-job');
  const totp = sealWith(keys('totp'), 'totp');
  const signUps = sealWith(keys('sign-up'), 'sign-up');
  const responseKeys = keys(responsePurpose);
  // Includes the password hash, so that a new password invalidates all earlier tokens.
  const deviceText = (visitor: string, { id, passwordHash }: Account) => `${visitor} ${id} ${passwordHash}`;
  return {
    /** A keyed hash of a client address, which cannot be reversed without the secret. */
    hashAddress: (address: string) => keyedHash(addressKey, networkOf(address)),
    /** The same for an email: what is typed at sign-in may be somebody's address even if they have no account. */
    hashEmail: (email: string) => keyedHash(emailKey, email.toLowerCase()),
    /** Encrypts personal data of scan jobs, so that the queue does not hold it in plain text. */
    sealingKey: openingKeys[0],
    /** Open what was encrypted with any of the root secrets. The first is `sealingKey`. */
    openingKeys,
    /** Encrypt the secrets of webhook endpoints: the first for new ones, all to open them. */
    webhookKeys: keys('webhook-secret'),
    /** Encrypts the content of a mail job, which may contain addresses. */
    sealMail: mail.seal,
    /** Throws if it was encrypted with none of the root secrets. */
    openMail: mail.open,
    /** Encrypts the secrets of authenticator apps. */
    sealTotp: totp.seal,
    openTotp: totp.open,
    /** Encrypts the response that is kept for an Idempotency-Key. Whoever guesses the key must know the root secret too. */
    sealResponse: (text: string, key: string) =>
      sealText(text, keyedHash(responseKeys[0], key), responsePurpose),
    // Release 0.2 used the key alone. What it stored expires within a day: to be removed in the release after this one.
    openResponse: (sealed: Buffer, key: string) =>
      unsealAny(sealed, [...responseKeys.map((each) => keyedHash(each, key)), key], responsePurpose),
    /** Proves that an account was signed in before in this browser. */
    deviceToken: (visitor: string, user: Account) => keyedHash(deviceKeys[0], deviceText(visitor, user)),
    isDeviceToken: (token: string, visitor: string, user: Account) =>
      isHashOf(deviceKeys, token, deviceText(visitor, user)),
    /** For the link in a mail that switches off mails of its kind. Works without signing in, for as long as the mail is kept. */
    unsubscribeToken: (userId: string, kind: string) =>
      `${userId}.${kind}.${keyedHash(unsubscribeKeys[0], `${userId}.${kind}`)}`,
    readUnsubscribeToken(token: string): { userId: string; kind: string } | undefined {
      const [, signed = '', userId = '', kind = '', hash = ''] = unsubscribePattern.exec(token) ?? [];
      return hash !== '' && isHashOf(unsubscribeKeys, hash, signed) ? { userId, kind } : undefined;
    },
    /** For the link that is mailed to an address without an account. It contains its purpose, and works for a day. */
    signUpToken: ({ email, next }: SignUp, now: Date) =>
      toBase64Url(signUps.seal(JSON.stringify({ email, next, expiresAt: now.getTime() + signUpLifetimeMs }))),
    readSignUpToken(token: string, now: Date): SignUp | undefined {
      if (token.length > maxSignUpTokenLength) return undefined;
      try {
        const read = JSON.parse(signUps.open(token)) as SignUp & { expiresAt: number };
        return read.expiresAt > now.getTime() ? { email: read.email, next: read.next } : undefined;
      } catch {
        return undefined;
      }
    },
    /** For the task that a browser solves after many wrong passwords: nobody else can set it. */
    signProof: (text: string) => keyedHash(proofKeys[0], text),
    isProofSignature: (signature: string, text: string) => isHashOf(proofKeys, signature, text),
    /** The token that a form must send back, derived from the visitor's cookie, which another site cannot read. */
    csrfToken: (cookie: string) => keyedHash(formKeys[0], cookie),
    isCsrfToken: (token: string, cookie: string) => isHashOf(formKeys, token, cookie),
  };
}

const toBase64Url = (text: string) => Buffer.from(text, 'base64').toString('base64url');

function keyedHash(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function isHashOf(keys: readonly Buffer[], hash: string, text: string): boolean {
  const given = Buffer.from(hash);
  return keys.some((key) => {
    const expected = Buffer.from(keyedHash(key, text));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Encrypts with the first key, and opens what was encrypted with any of them. */
function sealWith(keys: readonly [Buffer, ...Buffer[]], purpose: string) {
  const [current, ...others] = keys.map((key) => key.toString('base64')) as [string, ...string[]];
  return {
    seal: (text: string) => sealText(text, current, purpose).toString('base64'),
    open: (sealed: string) => unsealAny(Buffer.from(sealed, 'base64'), [current, ...others], purpose),
  };
}

function unsealAny(sealed: Buffer, keys: readonly string[], purpose: string): string {
  for (const key of keys) {
    try {
      return unsealText(sealed, key, purpose);
    } catch {
      // Encrypted with another one.
    }
  }
  throw new Error(
    `${purpose}: encrypted with a root secret that this process does not have: add it to the end of QRELAY_SECRET`,
  );
}

/** An IPv6 client usually has a whole /64 of addresses, so the /64 counts as one client. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

const cipherName = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Encrypts a text with a secret that the database does not have. Keys of different purposes are independent. */
export function sealText(text: string, secret: string, purpose: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, keyOf(secret, purpose), iv);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

export function unsealText(sealed: Buffer, secret: string, purpose: string): string {
  const decipher = createDecipheriv(cipherName, keyOf(secret, purpose), sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  const encrypted = sealed.subarray(ivBytes + tagBytes);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
}

function keyOf(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/** A token that whoever has it may use. Only its digest is stored. */
export const newToken = () => randomBytes(32).toString('base64url');
export const digestOf = (text: string | Buffer) => createHash('sha256').update(text).digest();
