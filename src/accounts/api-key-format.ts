import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { customAlphabet } from 'nanoid';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomPrefix = customAlphabet(base62, 8);
const randomSecret = customAlphabet(base62, 32);
const keyPattern = /^qrl_([0-9A-Za-z]{8})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export interface ParsedApiKey {
  prefix: string;
  secretHash: Buffer;
}

/** `qrl_<prefix>_<secret>`: the secret ends in a checksum of the whole, so a mistyped key is refused without a query. */
export function generateApiKey(): ParsedApiKey & { key: string } {
  const prefix = randomPrefix();
  const random = randomSecret();
  const secret = random + checksum(prefix + random);
  return { key: `qrl_${prefix}_${secret}`, prefix, secretHash: hashSecret(secret) };
}

/** Checks the form and the checksum only; whether the key exists is for the database. */
export function parseApiKey(key: string): ParsedApiKey | undefined {
  const [, prefix, random, sum] = keyPattern.exec(key) ?? [];
  if (!prefix || !random || sum !== checksum(prefix + random)) return undefined;
  return { prefix, secretHash: hashSecret(random + sum) };
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
