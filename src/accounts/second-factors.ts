import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '../store/database.ts';
import type { ServiceSecrets } from './secrets.ts';

const recoveryCodeCount = 10;
/** 80 bits: too many to guess, also for whoever has their hashes. */
const recoveryCodeBytes = 10;
/** How long after the password an app can be set up. */
const setUpMs = 15 * 60_000;

export interface SecondFactors {
  hasTotp: boolean;
  passkeys: number;
  recoveryCodes: number;
}

type Seals = Pick<ServiceSecrets, 'sealTotp' | 'openTotp'>;

export async function countSecondFactors(db: Database, userId: string): Promise<SecondFactors> {
  const { rows } = (await db.raw(
    `SELECT EXISTS (SELECT FROM totp_secrets WHERE user_id = :userId AND confirmed_at IS NOT NULL) AS "hasTotp",
            (SELECT count(*) FROM passkeys WHERE user_id = :userId)::int AS passkeys,
            (SELECT count(*) FROM recovery_codes WHERE user_id = :userId)::int AS "recoveryCodes"`,
    { userId },
  )) as { rows: [SecondFactors] };
  return rows[0];
}

/** Whether the password alone is not enough. */
export function isSecondFactorNeeded({ hasTotp, passkeys }: SecondFactors): boolean {
  return hasTotp || passkeys > 0;
}

/** Undefined if it was encrypted with a root secret that was removed: other factors must work all the same. */
function openTotp(seals: Seals, row: { sealed: string } | undefined): string | undefined {
  try {
    return row && seals.openTotp(row.sealed);
  } catch {
    return undefined;
  }
}

/** A secret that is not asked for until `confirmTotp`. Replaces one that was never confirmed. */
export async function startTotp(db: Database, seals: Seals, userId: string, now: Date): Promise<void> {
  await db.raw(
    `INSERT INTO totp_secrets (user_id, sealed, started_at) VALUES (:userId, :sealed, :now)
     ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, started_at = excluded.started_at
     WHERE totp_secrets.confirmed_at IS NULL`,
    { userId, sealed: seals.sealTotp(newTotpSecret()), now },
  );
}

/** The secret of an app that is being set up. */
export async function findUnconfirmedTotp(
  db: Database,
  seals: Seals,
  userId: string,
  now: Date,
): Promise<string | undefined> {
  const row = (await db('totp_secrets')
    .where({ user_id: userId, confirmed_at: null })
    .where('started_at', '>', new Date(now.getTime() - setUpMs))
    .first('sealed')) as { sealed: string } | undefined;
  return openTotp(seals, row);
}

export async function confirmTotp(
  db: Database,
  seals: Seals,
  userId: string,
  code: string,
  now: Date,
): Promise<boolean> {
  const secret = await findUnconfirmedTotp(db, seals, userId, now);
  const step = secret && totpStep(secret, code, now);
  if (!step) return false;
  const confirmed = await changeFactors(db, userId, (transaction) =>
    transaction('totp_secrets')
      .where({ user_id: userId, confirmed_at: null })
      .update({ confirmed_at: now, last_step: step }),
  );
  return confirmed > 0;
}

/** A code of an app or a recovery code. Each is accepted once, also in parallel. */
export async function useSecondFactorCode(
  db: Database,
  seals: Seals,
  userId: string,
  typed: string,
  now: Date,
): Promise<boolean> {
  const code = typed.replace(/[\s-]/g, '').toUpperCase();
  return (await useTotp(db, seals, userId, code, now)) || (await useRecoveryCode(db, userId, code));
}

async function useTotp(
  db: Database,
  seals: Seals,
  userId: string,
  code: string,
  now: Date,
): Promise<boolean> {
  const row = (await db('totp_secrets')
    .where({ user_id: userId })
    .whereNotNull('confirmed_at')
    .first('sealed')) as { sealed: string } | undefined;
  const secret = openTotp(seals, row);
  const step = secret && totpStep(secret, code, now);
  if (!step) return false;
  const used = await db('totp_secrets')
    .where({ user_id: userId })
    .where('last_step', '<', step)
    // Encrypted again, so that a root secret that was replaced can be removed one day.
    .update({ last_step: step, sealed: seals.sealTotp(secret) });
  return used > 0;
}

const hashOf = (code: string) => createHash('sha256').update(code).digest();

async function useRecoveryCode(db: Database, userId: string, code: string): Promise<boolean> {
  if (!/^[A-Z2-7]{16}$/.test(code)) return false;
  const used = await db('recovery_codes')
    .where({ user_id: userId, code_hash: hashOf(code) })
    .delete();
  return used > 0;
}

/** Replaces all earlier ones. Only hashes are stored. */
export async function createRecoveryCodes(db: Database, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(recoveryCodeBytes)));
  await db.transaction(async (transaction) => {
    await transaction('recovery_codes').where({ user_id: userId }).delete();
    await transaction('recovery_codes').insert(
      codes.map((code) => ({ user_id: userId, code_hash: hashOf(code) })),
    );
  });
  return codes.map((code) => code.replace(/.{4}(?=.)/g, '$&-'));
}

/** Gives up setting up an app. One that is in use stays. */
export async function cancelTotp(db: Database, userId: string): Promise<void> {
  await db('totp_secrets').where({ user_id: userId, confirmed_at: null }).delete();
}

export async function removeTotp(db: Database, userId: string): Promise<void> {
  await changeFactors(db, userId, (transaction) =>
    transaction('totp_secrets').where({ user_id: userId }).delete(),
  );
}

/**
 * Adds or removes a factor. Recovery codes end with the last one, and none that was left over works for the first one that is
 * added: the previous release left them behind.
 */
export async function changeFactors<Value>(
  db: Database,
  userId: string,
  change: (transaction: Database) => Promise<Value>,
): Promise<Value> {
  return db.transaction(async (transaction) => {
    // Locked, so that of two factors that are removed at the same time, one is the last.
    await transaction('users').where({ id: userId }).forUpdate().select('id');
    await removeCodesWithoutFactor(transaction, userId);
    const value = await change(transaction);
    await removeCodesWithoutFactor(transaction, userId);
    return value;
  });
}

async function removeCodesWithoutFactor(db: Database, userId: string): Promise<void> {
  if (isSecondFactorNeeded(await countSecondFactors(db, userId))) return;
  await db('recovery_codes').where({ user_id: userId }).delete();
}

/** For a user who has lost them: the password alone is enough again. */
export async function removeSecondFactors(db: Database, userId: string): Promise<void> {
  await db.transaction(async (transaction) => {
    for (const table of ['totp_secrets', 'passkeys', 'recovery_codes'])
      await transaction(table).where({ user_id: userId }).delete();
  });
}

/** RFC 6238 with what every authenticator app assumes: SHA-1, 6 digits, 30 seconds. */
const stepMs = 30_000;
const digits = 6;
/** Steps that the clock of a phone may be off, either way. */
const maxSkew = 1;
const secretBytes = 20;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** In base32, as apps expect it. */
export function newTotpSecret(): string {
  return base32(randomBytes(secretBytes));
}

/** What an app reads from a QR code. */
export function totpUrl(secret: string, email: string, host: string): string {
  const issuer = encodeURIComponent(`Qrelay (${host})`);
  return `otpauth://totp/${issuer}:${encodeURIComponent(email)}?secret=${secret}&issuer=${issuer}`;
}

/** The step that the code belongs to, or undefined if it is wrong. */
export function totpStep(secret: string, code: string, now: Date): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const current = Math.floor(now.getTime() / stepMs);
  const key = fromBase32(secret);
  let found: number | undefined;
  for (let step = current - maxSkew; step <= current + maxSkew; step += 1)
    if (timingSafeEqual(Buffer.from(code), Buffer.from(codeOf(key, step)))) found = step;
  return found;
}

export function totpCode(secret: string, now: Date): string {
  return codeOf(fromBase32(secret), Math.floor(now.getTime() / stepMs));
}

function codeOf(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

/** Without padding: the length must be a multiple of 5 bytes. */
function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return bits.replace(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)] ?? '');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
