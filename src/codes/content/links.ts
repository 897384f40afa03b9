import { parseUrl } from '../../http/parse-url.ts';
import type { Icon, LinkLine } from './content-type.ts';
import { parseEmail } from './email.ts';
import { trimEndOf } from './plain-text.ts';

/** One http(s) URL, serialized by the WHATWG parser: ready for a Location header. */
export interface LinkContent {
  kind: 'link';
  href: string;
}

export const linkIcon: Icon = [
  'M10 14a5 5 0 0 0 7 0l3-3a5 5 0 0 0-7-7l-1 1M14 10a5 5 0 0 0-7 0l-3 3a5 5 0 0 0 7 7l1-1',
];

/** Hosts that people write without a scheme. Any other word with a dot may be just a word. */
const knownHosts =
  /^(?:[a-z0-9-]+\.)?(?:instagram|facebook|fb|twitter|x|tiktok|youtube|linkedin|snapchat|pinterest|threads|reddit|discord|github|gitlab|whatsapp|tumblr|vimeo|soundcloud|spotify|medium|patreon)\.com(?:[/?#]|$)|^(?:youtu\.be|fb\.me|m\.me|t\.me|wa\.me|lnkd\.in|linktr\.ee|threads\.net|twitch\.tv|discord\.gg|bsky\.app|mastodon\.social|telegram\.me)(?:[/?#]|$)/i;
const anyHost = /^(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,8}[a-z]{2,24}(?:[/?#]|$)/i;

/** Only http and https, as the URL parser serializes them: ASCII without line breaks. */
export function webHref(text: string): string | undefined {
  const url = parseUrl(text);
  if (!url) return undefined;
  const { protocol, href, username, password, port } = url;
  // "https://bank.example@elsewhere.example/" looks like a link to the bank.
  if (username || password) return undefined;
  // Nothing can answer there.
  if (port === '0') return undefined;
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

/** Also accepts `example.com/me`, for where an address is expected. */
export function webHrefOfAddress(text: string): string | undefined {
  return webHref(text) ?? (anyHost.test(text) && !/\s/.test(text) ? webHref(`https://${text}`) : undefined);
}

/** "Find us at https://instagram.com/me" becomes a line of words and a line that is a link. */
export function splitAtAddresses(line: string): LinkLine[] {
  const lines: LinkLine[] = [];
  let plain: string[] = [];
  const endPlain = () => {
    if (plain.length > 0) lines.push({ text: plain.join(' ') });
    plain = [];
  };
  for (const word of line.split(/\s+/)) {
    const address = trimEndOf(word, ',;');
    const href = hrefAmongWords(address);
    if (href) {
      endPlain();
      lines.push({ text: address, href });
    } else {
      plain.push(word);
    }
  }
  endPlain();
  return lines;
}

export function hrefAmongWords(word: string): string | undefined {
  if (/^https?:\/\//i.test(word)) return webHref(word);
  const isHost = knownHosts.test(word) || (/^www\./i.test(word) && anyHost.test(word));
  return isHost && !/\s/.test(word) ? webHref(`https://${word}`) : undefined;
}

export interface TextPart {
  text: string;
  /** An http, https or mailto URL. */
  href?: string;
}

/** Longer than any link that people put into a text. */
const maxLinkLength = 1_000;
const maxAddressLength = 254;
const opening = '([{<"\'“‘«';
const closing = '.,;:!?)]}>"\'”’»…';
/** Would show the address in another order than it is. */
const bidiControls = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/;

/** A text and the web and email addresses in it. The parts together are the text, unchanged. */
export function partsOfText(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let plain = '';
  for (const piece of text.split(/(\s+)/)) {
    const [before, link, after] = splitPunctuation(piece);
    const href = hrefOf(link);
    if (href === undefined) {
      plain += piece;
      continue;
    }
    if (plain + before !== '') parts.push({ text: plain + before });
    parts.push({ text: link, href });
    plain = after;
  }
  if (plain !== '') parts.push({ text: plain });
  return parts;
}

function hrefOf(word: string): string | undefined {
  if (word.length < 4 || word.length > maxLinkLength || bidiControls.test(word)) return undefined;
  if (!word.includes('@') || /^https?:/i.test(word)) return hrefAmongWords(word);
  if (word.length > maxAddressLength || !/^[\w.+-]+@[a-z0-9.-]+\.[a-z]{2,24}$/i.test(word)) return undefined;
  const email = parseEmail(word);
  return email.kind === 'email' ? email.href : undefined;
}

/** "(see https://example.com/)." without what is not part of the address. A bracket that was opened in it is. */
function splitPunctuation(piece: string): [before: string, word: string, after: string] {
  let start = 0;
  while (start < piece.length && opening.includes(piece.charAt(start))) start += 1;
  const rest = piece.slice(start);
  const trimmed = trimEndOf(rest, closing);
  const isBracketed = rest.charAt(trimmed.length) === ')' && trimmed.includes('(');
  const word = isBracketed ? `${trimmed})` : trimmed;
  return [piece.slice(0, start), word, rest.slice(word.length)];
}

/** What a page links in a text, also without a scheme. */
export function linksOfText(text: string): string[] {
  return partsOfText(text).flatMap(({ href }) => href ?? []);
}

/** Up to the end of each host. A URL inside another one, such as in its query, is not a link. */
export function addressesAmong(text: string): string[] {
  const found = text.matchAll(/(https?:[/\\]*[^/\\?#\s"<>]*)[^\s"<>]*/gi);
  return [...found].map(([, address = '']) => address);
}
