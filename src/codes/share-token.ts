import { customAlphabet } from 'nanoid';

const tokenPattern = /^[0-9A-Za-z]{10}$/;

/** Short, so that the printed code has few modules; random, so that it cannot be guessed. */
export const generateShareToken = customAlphabet(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  10,
);

export function isShareToken(text: string): boolean {
  return tokenPattern.test(text);
}

export function shareUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/r/${token}`;
}
