import { randomBytes } from 'node:crypto';
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
  if (password.toLowerCase() === email.toLowerCase()) return [{ field, message: 'must not be your email' }];
  if (isGuessable(password))
    return [{ field, message: 'is one of the first that somebody would try: choose another' }];
  return [];
}

const fewestCharacters = 5;
const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiop',
  'azertyuiop',
];
const commonWords = new Set(
  'password passwort passw pass admin administrator welcome letmein iloveyou qrelay qwerty qwertz azerty login secret changeme football baseball princess dragon monkey sunshine master superman trustno'.split(
    ' ',
  ),
);

/** One character again and again, a row of the keyboard, or a common word with figures around it. */
function isGuessable(password: string): boolean {
  const text = password.toLowerCase();
  if (new Set(text).size < fewestCharacters) return true;
  const letters = text.replace(/[^\p{L}]+/gu, '');
  const isWord = commonWords.has(letters) || [...commonWords].some((word) => word + word === letters);
  return isWord || rows.some((row) => row.includes(text) || [...row].toReversed().join('').includes(text));
}

/** The same characters typed on another keyboard are the same password. */
const normalized = (password: string) => password.normalize('NFKC');

/** One that nobody chose, and nobody guesses. */
export function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

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
