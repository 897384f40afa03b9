import { parseEmail } from './email.ts';
import { hrefAmongWords } from './links.ts';
import { trimEndOf } from './plain-text.ts';

export interface TextPart {
  text: string;
  /** Of http, https or mailto. */
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
