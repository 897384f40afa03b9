import { hash, verify } from '@node-rs/argon2';
import type { FieldFault } from '../errors.ts';

// OWASP's figures for Argon2id: 19 MiB, two passes, one lane. The package computes it beside the event loop.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const shortestPassword = 10;
const longestPassword = 200;

export function passwordFaults(field: string, password: string, email: string): FieldFault[] {
  const length = [...password].length;
  if (length < shortestPassword)
    return [{ field, message: `must have at least ${shortestPassword} characters` }];
  if (length > longestPassword)
    return [{ field, message: `must have at most ${longestPassword} characters` }];
  if (password.toLowerCase() === email.toLowerCase())
    return [{ field, message: 'must not be the e-mail address' }];
  return [];
}

/** The same characters typed on another keyboard are the same password. */
const normalized = (password: string) => password.normalize('NFKC');

export function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), cost);
}

let hashOfNobody: Promise<string> | undefined;

/** Without a hash to compare with, as long as with one: how long it takes tells nothing of who has an account. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  hashOfNobody ??= hashPassword('nobody');
  const matches = await verify(passwordHash ?? (await hashOfNobody), normalized(password));
  return matches && passwordHash !== null;
}
