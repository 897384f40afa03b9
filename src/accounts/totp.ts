import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

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
export function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return bits.replace(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)] ?? '');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
