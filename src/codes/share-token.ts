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

/** Of share links, and of files. Both have the same length. */
const sharePath = '/r/';
const filePath = '/f/';

/**
 * A code as an operator names it: its id, share token, share link or the address of its file. Of an address only the token
 * is used, because the service may have several host names.
 */
export function parseCodeInput(text: string): string | undefined {
  const [given = ''] = text.trim().split(/[?#]/, 1);
  const at = Math.max(given.lastIndexOf(sharePath), given.lastIndexOf(filePath));
  // A link may be that of a picture: /r/<token>.png
  const [token = ''] = at < 0 ? [given] : given.slice(at + sharePath.length).split(/[./]/, 1);
  if (isUuid(token)) return token.toLowerCase();
  return isShareToken(token) ? token : undefined;
}

/**
 * The link to report abuse: the page in ABUSE_CONTACT, or a mail to the address in it with the share address as the
 * subject.
 */
export function abuseHref(contact: string | undefined, shareAddress: string): string | undefined {
  if (contact === undefined || /^https?:/.test(contact)) return contact;
  const to = encodeURIComponent(contact).replace('%40', '@');
  return `mailto:${to}?subject=${encodeURIComponent(shareAddress)}`;
}
