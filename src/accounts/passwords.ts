import { randomBytes } from 'node:crypto';
import type { FieldError } from '../errors.ts';

export const shortestPassword = 10;
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
