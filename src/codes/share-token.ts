import { customAlphabet } from 'nanoid';
import { validate as isUuid } from 'uuid';

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

/** Both have the same length. */
const sharePath = '/r/';
const filePath = '/f/';

/**
 * Reads a code as an operator names it: its id, share token, share link or the address of its file. Hosts are ignored,
 * because the service may have several.
 */
export function parseCodeInput(text: string): string | undefined {
  const [given = ''] = text.trim().split(/[?#]/, 1);
  const at = Math.max(given.lastIndexOf(sharePath), given.lastIndexOf(filePath));
  // The link of a picture is /r/<token>.png
  const [token = ''] = at < 0 ? [given] : given.slice(at + sharePath.length).split(/[./]/, 1);
  if (isUuid(token)) return token.toLowerCase();
  return isShareToken(token) ? token : undefined;
}

/** The link to report abuse: the page in ABUSE_CONTACT, or a mail to its address with the share link as the subject. */
export function abuseHref(contact: string | undefined, shareAddress: string): string | undefined {
  if (contact === undefined || /^https?:/.test(contact)) return contact;
  const to = encodeURIComponent(contact).replace('%40', '@');
  return `mailto:${to}?subject=${encodeURIComponent(shareAddress)}`;
}
