import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../errors.ts';
import type { CodeType } from '../qr-code.ts';
import { type ContentFields, composeContent, contentFieldNames } from './compose-content.ts';
import { emailFields, fieldsOfContact, phoneFields } from './contact-fields.ts';
import { formatDegrees } from './coordinates.ts';
import { parseEmail } from './email.ts';
import { parsePlace } from './geo.ts';
import { webHrefOfAddress } from './links.ts';
import { percentDecode } from './percent.ts';
import { parsePhone } from './phone.ts';
import { hasCountryCode } from './phone-number.ts';
import { parseContent } from './parse-content.ts';
import { fieldsOfSocial, linkErrors } from './social-fields.ts';

/** The reverse of `composeContent`. Undefined where composing the fields again would lose a part of the content. */
export function fieldsOfContent(type: CodeType, content: string): ContentFields | undefined {
  if (isAsTyped(type)) return { content };
  const fields = parseFieldsOf(type, content);
  if (!fields || Object.entries(fields).some(breaksItsField)) return undefined;
  const composed = composeContent(type, fields);
  if (!isDeepStrictEqual(meaning(type, composed), meaning(type, content))) return undefined;
  // Compared as text too: the parser drops what it does not know, such as other headers of an email.
  const bare = Object.values(fields).filter(Boolean).join(',');
  return [composed, bare].some((text) => plain(text) === plain(content)) ? fields : undefined;
}

export function isAsTyped(type: CodeType): boolean {
  return contentFieldNames[type][0] === 'content';
}

const longFields = ['body', 'message', 'note'];

/** A single-line input would lose the line breaks. */
function breaksItsField([name, value = '']: [string, string | undefined]): boolean {
  return !longFields.includes(name) && /[\r\n]/.test(value);
}

function parseFieldsOf(type: CodeType, content: string): ContentFields | undefined {
  if (type === 'social') return fieldsOfSocial(content);
  const parsed = parseContent(type, content);
  switch (parsed.kind) {
    case 'wifi':
      return {
        networkName: parsed.networkName,
        password: parsed.password,
        security: parsed.security,
        hidden: parsed.isHidden ? 'on' : '',
      };
    case 'contact':
      return fieldsOfContact(parsed, content);
    case 'email':
      return { to: parsed.to.join(', '), subject: parsed.subject, body: parsed.body };
    case 'phone':
      return { number: parsed.number };
    case 'sms':
      return { number: parsed.number, message: parsed.body };
    case 'geo':
      return {
        place: `${formatDegrees(parsed.latitude)}, ${formatDegrees(parsed.longitude)}`,
        label: parsed.label,
      };
    case 'link': {
      const [, digits, message = ''] =
        /^https:\/\/wa\.me\/(\d+)(?:\?text=([^&#]*))?$/.exec(parsed.href) ?? [];
      return type === 'whatsapp' && digits
        ? { number: `+${digits}`, message: percentDecode(message) }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** Ignores how a number is grouped. */
function meaning(type: CodeType, content: string): object {
  const read = parseContent(type, content);
  const { number: _, ...withoutNumber } = { number: '', ...read };
  return type === 'phone' || type === 'sms' ? withoutNumber : { ...read };
}

function plain(text: string): string {
  return percentDecode(text)
    .replace(/^(?:tel|sms):/i, '')
    .replaceAll('?&', '?')
    .replace(/[\s()./-]+/g, '');
}

/** WhatsApp always takes the first digits for the country code. */
const noCountryCode = 'must be a number with + and the country code, such as +44 20 7946 0000';

/** The errors that keep these fields from being content of their type. */
export function fieldErrors(type: CodeType, fields: ContentFields): FieldError[] {
  const given = (name: string) => (fields[name] ?? '').trim();
  const errors: FieldError[] = [];
  const check = (field: string, isValid: boolean, message: string) => {
    if (given(field) === '') errors.push({ field, message: 'must not be empty' });
    else if (!isValid) errors.push({ field, message });
  };
  const isPhone = (name: string) => parsePhone(given(name)).kind === 'phone';
  const badNumber = 'must be a phone number, such as +44 20 7946 0000';
  const badAddress = 'must be an email address, such as ann@example.com';
  switch (type) {
    case 'wifi':
      check('networkName', true, '');
      if (given('security') === 'none') {
        if (fields['password'])
          errors.push({ field: 'password', message: 'must be empty for a network without one' });
      } else if (!fields['password']) errors.push({ field: 'password', message: 'must not be empty' });
      break;
    case 'vcard':
      check('contactName', true, '');
      for (const name of phoneFields) if (given(name)) check(name, isPhone(name), badNumber);
      for (const name of emailFields) if (given(name)) check(name, isOneAddress(given(name)), badAddress);
      if (given('website'))
        check(
          'website',
          webHrefOfAddress(given('website')) !== undefined,
          'must be a web address, such as https://example.com/',
        );
      break;
    case 'email':
      check('to', parseEmail(given('to')).kind === 'email', badAddress);
      break;
    case 'phone':
      check('number', isPhone('number'), badNumber);
      break;
    case 'sms':
      check('number', isUnderstood(type, given('number')), badNumber);
      break;
    case 'whatsapp':
      check('number', isUnderstood(type, given('number')) && hasCountryCode(given('number')), noCountryCode);
      break;
    case 'geo':
      check('place', parsePlace(given('place')) !== undefined, placeError(given('place')));
      break;
    case 'social':
      errors.push(...linkErrors(given));
      break;
    default:
  }
  return errors;
}

function placeError(text: string): string {
  return webHrefOfAddress(text) === undefined
    ? 'must be coordinates, such as 51.5007, -0.1246, or a link from Google Maps, Apple Maps or OpenStreetMap'
    : 'This link contains no coordinates. Open it, and copy the coordinates or the long link from there';
}

function isOneAddress(text: string): boolean {
  const read = parseEmail(text);
  return read.kind === 'email' && read.to.length === 1;
}

function isUnderstood(type: CodeType, number: string): boolean {
  return parseContent(type, composeContent(type, { number })).kind === (type === 'sms' ? 'sms' : 'link');
}
