import { randomBytes } from 'node:crypto';
import type { FieldError } from '../errors.ts';

const shortestPassword = 10;
/** In characters. */
export const longestPassword = 200;

/** What is cheap to check. Whether a password is common is checked in a thread, see password-hasher.ts. */
export function passwordErrors(field: string, password: string, email: string): FieldError[] {
  const length = [...password].length;
  if (length < shortestPassword)
    return [{ field, message: `must have at least ${shortestPassword} characters` }];
  if (length > longestPassword)
    return [{ field, message: `must have at most ${longestPassword} characters` }];
  if (password.toLowerCase() === email.toLowerCase()) return [{ field, message: 'must not be your email' }];
  return [];
}

export function commonPasswordError(field: string): FieldError {
  return { field, message: 'This password is too common. Choose another' };
}

export function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** What a hash of a password costs whoever makes it: kibibytes, passes and lanes of Argon2id. */
export interface HashCost {
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

/** OWASP's recommendation: 19 MiB, two passes, one lane. */
export const recommendedCost: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The hash of a random password that nobody knows, to be checked at the same cost. */
export function unknownHash({ memoryCost, timeCost, parallelism }: HashCost): string {
  const cost = `m=${memoryCost},t=${timeCost},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$nB9AT9yFgZh69cqLeFxwZQ$bwsOIB4qgTYpPmbL5NNBWqHhKigt/QTppJEu8tR4z+M`;
}
