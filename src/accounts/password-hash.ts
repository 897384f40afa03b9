import { hashSync, verifySync } from '@node-rs/argon2';

// OWASP's recommendation for Argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The same characters can be encoded in different ways, depending on the keyboard. */
const normalized = (password: string) => password.normalize('NFKC');

/** Blocks for tens of milliseconds: the web process calls it in a thread, see password-hasher.ts. */
export function hashPassword(password: string): string {
  return hashSync(normalized(password), cost);
}

/** Blocks, like `hashPassword`. */
export function verifyPassword(passwordHash: string, password: string): boolean {
  return verifySync(passwordHash, normalized(password));
}
