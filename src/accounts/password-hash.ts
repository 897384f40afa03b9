import { hashSync, verifySync } from '@node-rs/argon2';
import { type HashCost, recommendedCost } from './passwords.ts';

/** The same characters can be encoded in different ways, depending on the keyboard. */
const normalized = (password: string) => password.normalize('NFKC');

/** Blocks for tens of milliseconds: the web process calls it in a thread, see password-hasher.ts. */
export function hashPassword(password: string, cost: HashCost = recommendedCost): string {
  return hashSync(normalized(password), cost);
}

/** Blocks, like `hashPassword`. What it costs is in the hash. */
export function verifyPassword(passwordHash: string, password: string): boolean {
  return verifySync(passwordHash, normalized(password));
}
