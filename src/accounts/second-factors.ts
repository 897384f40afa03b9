import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Model, type ModelObject, snakeCaseMappers } from 'objection';
import type { Database } from '../store/database.ts';
import { digestOf, type ServiceSecrets } from './secrets.ts';
import { User } from './users.ts';

const recoveryCodeCount = 10;
/** 80 bits: too many to guess, even for whoever has their hashes. */
const recoveryCodeBytes = 10;
/** How long after the password an app can be set up. */
const setUpMs = 15 * 60_000;

export class TotpSecret extends Model {
  static override tableName = 'totp_secrets';
  static override idColumn = 'user_id';
  static override columnNameMappers = snakeCaseMappers();

  declare userId: string;
  declare sealed: string;
  declare startedAt: Date;
  /** Null while the app is being set up. */
  declare confirmedAt: Date | null;
  /** The time step of the last accepted code. */
  declare lastStep: number;

  /** Replaces a secret that was never confirmed. */
  static start(db: Database, secret: { userId: string; sealed: string; now: Date }): Promise<unknown> {
    return db.raw(
      `INSERT INTO totp_secrets (user_id, sealed, started_at) VALUES (:userId, :sealed, :now)
       ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, started_at = excluded.started_at
       WHERE totp_secrets.confirmed_at IS NULL`,
      secret,
    );
  }
}

class RecoveryCode extends Model {
  static override tableName = 'recovery_codes';
  static override idColumn = ['user_id', 'code_hash'];
  static override columnNameMappers = snakeCaseMappers();

  declare userId: string;
  declare codeHash: Buffer;
}

export class Passkey extends Model {
  static override tableName = 'passkeys';
  static override idColumn = 'credential_id';
  static override columnNameMappers = snakeCaseMappers();

  declare credentialId: string;
  declare userId: string;
  declare publicKey: Buffer;
  declare counter: number;
  /** Separated by commas. */
  declare transports: string;
  declare name: string;
  declare createdAt: Date;
  declare usedAt: Date | null;

  /** False if the credential is known already. */
  static async add(transaction: Database, passkey: Partial<ModelObject<Passkey>>): Promise<boolean> {
    const added = (await transaction('passkeys')
      .insert(Passkey.fromJson(passkey).$toDatabaseJson())
      .onConflict('credential_id')
      .ignore()
      .returning('credential_id')) as unknown[];
    return added.length > 0;
  }
}

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

/** Undefined if it was encrypted with a root secret that was removed: other factors must still work. */
function openTotp(seals: Seals, secret: TotpSecret | undefined): string | undefined {
  try {
    return secret && seals.openTotp(secret.sealed);
  } catch {
    return undefined;
  }
}

/** Starts to set up an app. Its codes are not asked for until `confirmTotp`. */
export async function startTotp(db: Database, seals: Seals, userId: string, now: Date): Promise<void> {
  await TotpSecret.start(db, { userId, sealed: seals.sealTotp(newTotpSecret()), now });
}

/** The secret of an app that is being set up. */
export async function findUnconfirmedTotp(
  db: Database,
  seals: Seals,
  userId: string,
  now: Date,
): Promise<string | undefined> {
  const secret = await TotpSecret.query(db)
    .findById(userId)
    .whereNull('confirmed_at')
    .where('started_at', '>', new Date(now.getTime() - setUpMs));
  return openTotp(seals, secret);
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
    TotpSecret.query(transaction)
      .findById(userId)
      .whereNull('confirmed_at')
      .patch({ confirmedAt: now, lastStep: step }),
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
  const stored = await TotpSecret.query(db).findById(userId).whereNotNull('confirmed_at');
  const secret = openTotp(seals, stored);
  const step = secret && totpStep(secret, code, now);
  if (!step) return false;
  const used = await TotpSecret.query(db)
    .findById(userId)
    .where('last_step', '<', step)
    // Encrypted again, so that a replaced root secret can be removed one day.
    .patch({ lastStep: step, sealed: seals.sealTotp(secret) });
  return used > 0;
}

async function useRecoveryCode(db: Database, userId: string, code: string): Promise<boolean> {
  if (!/^[A-Z2-7]{16}$/.test(code)) return false;
  return (await RecoveryCode.query(db).deleteById([userId, digestOf(code)])) > 0;
}

/** Replaces all earlier ones. Only hashes are stored. */
export async function createRecoveryCodes(db: Database, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(recoveryCodeBytes)));
  await db.transaction(async (transaction) => {
    await RecoveryCode.query(transaction).where({ user_id: userId }).delete();
    await RecoveryCode.query(transaction).insert(codes.map((code) => ({ userId, codeHash: digestOf(code) })));
  });
  return codes.map((code) => code.replace(/.{4}(?=.)/g, '$&-'));
}

/** Gives up setting up an app. One that is in use stays. */
export async function cancelTotp(db: Database, userId: string): Promise<void> {
  await TotpSecret.query(db).deleteById(userId).whereNull('confirmed_at');
}

export async function removeTotp(db: Database, userId: string): Promise<void> {
  await changeFactors(db, userId, (transaction) => TotpSecret.query(transaction).deleteById(userId));
}

/**
 * Adds or removes a factor. Recovery codes end with the last one, and leftovers do not work for the first one that is added:
 * the previous release left them behind.
 */
export async function changeFactors<Value>(
  db: Database,
  userId: string,
  change: (transaction: Database) => PromiseLike<Value>,
): Promise<Value> {
  return db.transaction(async (transaction) => {
    // Locked, so that of two factors that are removed at the same time, one is the last.
    await User.lock(transaction, userId);
    await removeCodesWithoutFactor(transaction, userId);
    const value = await change(transaction);
    await removeCodesWithoutFactor(transaction, userId);
    return value;
  });
}

async function removeCodesWithoutFactor(db: Database, userId: string): Promise<void> {
  if (isSecondFactorNeeded(await countSecondFactors(db, userId))) return;
  await RecoveryCode.query(db).where({ user_id: userId }).delete();
}

/** For a user who has lost them: the password alone is enough again. */
export async function removeSecondFactors(db: Database, userId: string): Promise<void> {
  await db.transaction(async (transaction) => {
    await TotpSecret.query(transaction).deleteById(userId);
    await Passkey.query(transaction).where({ user_id: userId }).delete();
    await RecoveryCode.query(transaction).where({ user_id: userId }).delete();
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
export function totpUrl(secret: string, email: string, site: { name: string; host: string }): string {
  const issuer = encodeURIComponent(`${site.name} (${site.host})`);
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
