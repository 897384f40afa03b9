import { parseUrl } from '../../http/parse-url.ts';
import type { LinkContent, LinkLine, LinksContent, TextContent } from './code-content.ts';
import { asText, linesOf, trimEndOf } from './plain-text.ts';

/** Hosts that people write without a scheme. Any other word with a dot may be just a word. */
const knownHosts =
  /^(?:[a-z0-9-]+\.)?(?:instagram|facebook|fb|twitter|x|tiktok|youtube|linkedin|snapchat|pinterest|threads|reddit|discord|github|gitlab|whatsapp|tumblr|vimeo|soundcloud|spotify|medium|patreon)\.com(?:[/?#]|$)|^(?:youtu\.be|fb\.me|m\.me|t\.me|wa\.me|lnkd\.in|linktr\.ee|threads\.net|twitch\.tv|discord\.gg|bsky\.app|mastodon\.social|telegram\.me)(?:[/?#]|$)/i;
/** Longer ones are text above the link. */
export const maxLabelLength = 60;
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

export function parseLink(content: string): LinkContent | TextContent {
  const href = webHref(content);
  return href ? { kind: 'link', href } : asText(content);
}

export function parseSocial(content: string): LinkContent | LinksContent | TextContent {
  const written = linesOf(content);
  const lines = written.flatMap((line) => parseLabeledLine(line) ?? splitAtAddresses(line));
  const [only] = written;
  if (only !== undefined && written.length === 1 && lines.filter(({ href }) => href).length < 2) {
    // The whole line, so that a URL with a space works as in a browser's address bar.
    const href = webHref(only) ?? hrefAmongWords(only);
    if (href) return { kind: 'link', href };
  }
  return lines.some((line) => line.href) ? { kind: 'links', lines } : asText(content);
}

/** An address, or "Our shop: https://example.com/shop". Undefined for any other line. */
export function parseLabeledLine(line: string): LinkLine | undefined {
  const split = splitAtAddresses(line);
  const [first, second] = split;
  if (split.length === 1 && first?.href && first.text === line.trim()) return first;
  if (split.length !== 2 || !second?.href || first?.href || !first?.text.endsWith(':')) return undefined;
  const label = first.text.slice(0, -1).trim();
  // The line must end with the address, and both must be all of it.
  const isAll = line.trim() === `${first.text} ${second.text}`;
  return isAll && label !== '' && label.length <= maxLabelLength ? { ...second, label } : undefined;
}

/** "Find us at https://instagram.com/me" becomes a line of words and a line that is a link. */
function splitAtAddresses(line: string): LinksContent['lines'] {
  const lines: LinksContent['lines'] = [];
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
