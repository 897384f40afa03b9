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

/** zxcvbn scores from 0 to 4: below this, fewer than a million guesses find the password. */
const minimumScore = 2;

/** Loaded when first needed: its dictionary takes 25 MB, and a sign-in does without. */
async function openZxcvbn() {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core');
  const { adjacencyGraphs, dictionary } = await import('@zxcvbn-ts/language-common');
  // Both bounds keep a check about as expensive as a hash: zxcvbn's time grows faster than the length.
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: 64, l33tMaxSubstitutions: 8 });
}

let zxcvbn: ReturnType<typeof openZxcvbn> | undefined;

/** Blocks, like `hashPassword`. */
export async function isCommonPassword(password: string, email: string): Promise<boolean> {
  zxcvbn ??= openZxcvbn();
  const words = ['qrelay', email, ...email.split(/[^\p{L}\p{N}]+/u, 10)];
  return (await zxcvbn).check(password, words.filter(Boolean)).score < minimumScore;
}
