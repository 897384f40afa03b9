import { randomBytes } from 'node:crypto';
import type { FieldError } from '../errors.ts';

export const shortestPassword = 10;
/** In characters. */
export const longestPassword = 200;

export function passwordErrors(field: string, password: string, email: string): FieldError[] {
  const length = [...password].length;
  if (length < shortestPassword)
    return [{ field, message: `must have at least ${shortestPassword} characters` }];
  if (length > longestPassword)
    return [{ field, message: `must have at most ${longestPassword} characters` }];
  if (password.toLowerCase() === email.toLowerCase()) return [{ field, message: 'must not be your email' }];
  if (isGuessable(password)) return [{ field, message: 'This password is too common. Choose another' }];
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

/** One that nobody chose, and nobody guesses. */
export function newPassword(): string {
  return randomBytes(12).toString('base64url');
}
