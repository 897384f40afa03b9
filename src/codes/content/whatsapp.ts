import { type ContentType, required } from './content-type.ts';
import type { LinkContent } from './links.ts';
import { percentDecode, percentEncode, queryFields } from './payload-syntax.ts';
import { invalidNumber, numberField } from './phone.ts';
import {
  addCountryCode,
  compactNumber,
  hasCountryCode,
  missingCountryCode,
  plainNumber,
} from './phone-number.ts';
import { manyLines, type TextContent } from './plain-text.ts';
import { messageField } from './sms.ts';
import { type LinksContent, parseSocial } from './social.ts';

export const whatsapp = {
  name: 'WhatsApp',
  parse: parseWhatsapp,
  form: {
    // No caution: WhatsApp takes the first digits for the country code, and validation rejects numbers without one.
    parts: [numberField(), messageField],
    compose: (given) => composeChat(given('number'), given('message')),
    read: (parsed) => {
      const [, digits, message = ''] =
        /^https:\/\/wa\.me\/(\d+)(?:\?text=([^&#]*))?$/.exec(parsed.kind === 'link' ? parsed.href : '') ?? [];
      return digits ? { number: `+${digits}`, message: percentDecode(message) } : undefined;
    },
    errors: (given) => {
      const number = given('number');
      if (plainNumber(number) !== undefined && !hasCountryCode(number))
        return [{ field: 'number', message: missingCountryCode }];
      const isValid = parseWhatsapp(composeChat(number, '')).kind === 'link' && hasCountryCode(number);
      return required(given, 'number', isValid, invalidNumber);
    },
  },
  keep: (given) => ({
    number: given('number'),
    message: given('message'),
    text: [given('number'), given('message')].filter(Boolean).join('\n'),
  }),
  fill: ({ number, message }) => ({ number, message }),
  remedy: 'Write one number with its country code like +15550100123.',
  phoneNumbers: {
    warning: `WhatsApp takes the first digits of this number for the country: ${addCountryCode}`,
    read: (parsed, content) => {
      if (parsed.kind !== 'link') return [];
      // A link has the country code in it; a bare number may not.
      const [first = ''] = content.trim().split(/[\r\n]/, 1);
      if (/^[\d(]/.test(first) && !hasCountryCode(first)) return [first];
      const [, digits] = /^https:\/\/wa\.me\/(\d+)/.exec(parsed.href) ?? [];
      return digits ? [`+${digits}`] : [];
    },
  },
  example: '+491701234567',
} satisfies ContentType<LinkContent, LinkContent | LinksContent | TextContent>;

/** Unchanged where it cannot be parsed. */
function composeChat(number: string, message: string): string {
  const payload = `whatsapp://send?phone=${percentEncode(number)}&text=${percentEncode(message)}`;
  const parsed = parseWhatsapp(payload);
  return parsed.kind === 'link' ? parsed.href : payload;
}

function parseWhatsapp(content: string): LinkContent | LinksContent | TextContent {
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
