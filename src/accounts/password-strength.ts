import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** Of zxcvbn's scores 0 to 4: below this, fewer than a million guesses find the password. */
const minimumScore = 2;

// Both bounds keep a check about as expensive as a hash: zxcvbn's time grows faster than the length.
const zxcvbn = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: 64,
  l33tMaxSubstitutions: 8,
});

/** Blocks for tens of milliseconds, like a hash: the web process calls it in a thread, see password-hasher.ts. */
export function isCommonPassword(password: string, email: string): boolean {
  const words = ['qrelay', email, ...email.split(/[^\p{L}\p{N}]+/u, 10)];
  return zxcvbn.check(password, words.filter(Boolean)).score < minimumScore;
}
