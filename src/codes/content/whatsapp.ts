import type { LinkContent, LinksContent, TextContent } from './code-content.ts';
import { parseSocial } from './links.ts';
import { percentEncode, queryFields } from './percent.ts';
import { compactNumber } from './phone-number.ts';
import { manyLines } from './plain-text.ts';

export function parseWhatsapp(content: string): LinkContent | LinksContent | TextContent {
  const chat = chatOfAppAddress(content) ?? chatOfNumber(content);
  return chat ? { kind: 'link', href: chat } : parseSocial(content);
}

/** A number, optionally followed by a message on the next lines. */
function chatOfNumber(content: string): string | undefined {
  const [first = '', ...rest] = content.trim().split(/\r\n|\r|\n/);
  const digits = chatDigits(first);
  const message = rest.join('\n').trim();
  // A second number or a link is not a message.
  if (!digits || chatDigits(message) || parseSocial(message).kind === 'link') return undefined;
  return chatHref(digits, message);
}

/** `whatsapp://send?phone=…&text=…` works only where the app is installed; wa.me works everywhere. */
function chatOfAppAddress(content: string): string | undefined {
  const [, query] = /^\s*whatsapp:(?:\/\/)?send\/?\?(.*)$/is.exec(content) ?? [];
  if (query === undefined) return undefined;
  const fields = queryFields(query.replaceAll('+', ' '));
  const phone = fields.get('phone');
  const message = fields.get('text') ?? '';
  // The plus of a country code becomes a space in a query.
  const digits = phone ? chatDigits(phone) : '';
  return digits === undefined || (!digits && !message) ? undefined : chatHref(digits, message);
}

/** wa.me expects the country code without plus or zeros. A number with one leading zero has no country code. */
function chatDigits(text: string): string | undefined {
  const [, digits] = /^(?:\+|00)?([1-9]\d{4,14})$/.exec(compactNumber(text)) ?? [];
  return digits;
}

function chatHref(digits: string, message: string): string {
  return `https://wa.me/${digits}${message ? `?text=${percentEncode(manyLines(message))}` : ''}`;
}
