import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../errors.ts';
import type { CodeType } from '../qr-code.ts';
import { type ContentFields, composeContent, contentFieldNames } from './compose-content.ts';
import { formatDegrees } from './coordinates.ts';
import { parseEmail } from './email.ts';
import { parsePlace } from './geo.ts';
import { webHrefOfAddress } from './links.ts';
import { percentDecode } from './percent.ts';
import { parsePhone } from './phone.ts';
import { hasCountryCode } from './phone-number.ts';
import { parseContent } from './parse-content.ts';

/** The fields that a content was, or could have been, composed of. Undefined where composing would lose a part of it. */
export function fieldsOfContent(type: CodeType, content: string): ContentFields | undefined {
  if (isAsTyped(type)) return { content };
  const fields = parseFieldsOf(type, content);
  if (!fields || Object.entries(fields).some(breaksItsField)) return undefined;
  const composed = composeContent(type, fields);
  if (!isDeepStrictEqual(meaning(type, composed), meaning(type, content))) return undefined;
  // What the reader leaves out, such as a header of a letter that it does not know, is in the text alone.
  const bare = Object.values(fields).filter(Boolean).join(',');
  return [composed, bare].some((text) => plain(text) === plain(content)) ? fields : undefined;
}

export function isAsTyped(type: CodeType): boolean {
  return contentFieldNames[type][0] === 'content';
}

/** An input of one line would lose the breaks. */
function breaksItsField([name, value = '']: [string, string | undefined]): boolean {
  return name !== 'body' && name !== 'message' && /[\r\n]/.test(value);
}

function parseFieldsOf(type: CodeType, content: string): ContentFields | undefined {
  const read = parseContent(type, content);
  switch (read.kind) {
    case 'wifi':
      return {
        networkName: read.networkName,
        password: read.password,
        security: read.security,
        hidden: read.isHidden ? 'on' : '',
      };
    case 'contact':
      return {
        contactName: read.name,
        organization: read.organization,
        phone: read.phones[0]?.number ?? '',
        email: read.emails[0]?.address ?? '',
        website: read.links[0]?.text ?? '',
      };
    case 'email':
      return { to: read.to.join(', '), subject: read.subject, body: read.body };
    case 'phone':
      return { number: read.number };
    case 'sms':
      return { number: read.number, message: read.body };
    case 'geo':
      return {
        place: `${formatDegrees(read.latitude)}, ${formatDegrees(read.longitude)}`,
        label: read.label,
      };
    case 'link': {
      const [, digits, message = ''] = /^https:\/\/wa\.me\/(\d+)(?:\?text=([^&#]*))?$/.exec(read.href) ?? [];
      return type === 'whatsapp' && digits
        ? { number: `+${digits}`, message: percentDecode(message) }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** A number is the same however it is grouped. */
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

/** WhatsApp takes the first digits for the country, whatever they are. */
const noCountryCode = 'must be a number with + and the country code, such as +44 20 7946 0000';

/** What keeps these fields from being a content of their type, each beside its field. */
export function fieldErrors(type: CodeType, fields: ContentFields): FieldError[] {
  const given = (name: string) => (fields[name] ?? '').trim();
  const errors: FieldError[] = [];
  const need = (field: string, isGood: boolean, message: string) => {
    if (given(field) === '') errors.push({ field, message: 'must not be empty' });
    else if (!isGood) errors.push({ field, message });
  };
  const isPhone = (name: string) => parsePhone(given(name)).kind === 'phone';
  const badNumber = 'must be a phone number, such as +44 20 7946 0000';
  const badAddress = 'must be an email address, such as ann@example.com';
  switch (type) {
    case 'wifi':
      need('networkName', true, '');
      if (given('security') === 'none') {
        if (fields['password'])
          errors.push({ field: 'password', message: 'must be empty for a network without one' });
      } else if (!fields['password']) errors.push({ field: 'password', message: 'must not be empty' });
      break;
    case 'vcard':
      need('contactName', true, '');
      if (given('phone')) need('phone', isPhone('phone'), badNumber);
      if (given('email')) need('email', isOneAddress(given('email')), badAddress);
      if (given('website'))
        need(
          'website',
          webHrefOfAddress(given('website')) !== undefined,
          'must be a web address, such as https://example.com/',
        );
      break;
    case 'email':
      need('to', parseEmail(given('to')).kind === 'email', badAddress);
      break;
    case 'phone':
      need('number', isPhone('number'), badNumber);
      break;
    case 'sms':
      need('number', readsAsItself(type, given('number')), badNumber);
      break;
    case 'whatsapp':
      need('number', readsAsItself(type, given('number')) && hasCountryCode(given('number')), noCountryCode);
      break;
    case 'geo':
      need('place', parsePlace(given('place')) !== undefined, placeError(given('place')));
      break;
    case 'social':
      if (given('content') && parseContent(type, given('content')).kind === 'text')
        errors.push({ field: 'content', message: 'must have a web address, such as https://example.com/' });
      break;
    default:
  }
  return errors;
}

function placeError(text: string): string {
  return webHrefOfAddress(text) === undefined
    ? 'must be coordinates, such as 51.5007, -0.1246, or a link of Google Maps, Apple Maps or OpenStreetMap'
    : 'This link has no coordinates in it. Open it, and copy the coordinates or the long link from there';
}

function isOneAddress(text: string): boolean {
  const read = parseEmail(text);
  return read.kind === 'email' && read.to.length === 1;
}

function readsAsItself(type: CodeType, number: string): boolean {
  return parseContent(type, composeContent(type, { number })).kind === (type === 'sms' ? 'sms' : 'link');
}
