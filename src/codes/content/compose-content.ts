import type { CodeType } from '../qr-code.ts';
import { composeContact, contactFieldNames } from './contact-fields.ts';
import { parsePlace, writePlace } from './geo.ts';
import { percentEncode } from './percent.ts';
import { parsePhone } from './phone.ts';
import { oneLine } from './plain-text.ts';
import { parseContent } from './parse-content.ts';
import { escapeField } from './semicolon-fields.ts';
import { composeSocial, socialFieldNames } from './social-fields.ts';

/** The fields of a form, by the names in `contentFieldNames`. A missing field is empty. */
export type ContentFields = Partial<Record<string, string>>;

/** A type with the single field `content` is stored as typed. */
export const contentFieldNames: Record<CodeType, readonly string[]> = {
  url: ['content'],
  text: ['content'],
  wifi: ['networkName', 'password', 'security', 'hidden'],
  vcard: contactFieldNames,
  email: ['to', 'subject', 'body'],
  phone: ['number'],
  sms: ['number', 'message'],
  whatsapp: ['number', 'message'],
  geo: ['place', 'label'],
  social: socialFieldNames,
};

/** The standard payload for scanners, as `parseContent` normalizes it. Empty where no field is filled in. */
export function composeContent(type: CodeType, fields: ContentFields): string {
  const given = (name: string) => fields[name] ?? '';
  const isEmpty = contentFieldNames[type].every((name) => given(name) === '' || isChoice(name));
  return isEmpty ? '' : composers[type](given);
}

/** Has a value in an empty form, or means nothing without another field. */
function isChoice(name: string): boolean {
  return name === 'security' || /^phone\d?Kind$/.test(name);
}

type Given = (name: string) => string;

const asTyped = (given: Given) => given('content');

const composers: Record<CodeType, (given: Given) => string> = {
  url: asTyped,
  text: asTyped,
  social: composeSocial,
  wifi: composeWifi,
  vcard: composeContact,
  email: (given) => {
    const to = given('to')
      .split(/[,;\s]+/)
      .filter(Boolean)
      .map((address) => percentEncode(address).replace('%40', '@'))
      .join(',');
    const subject = percentEncode(oneLine(given('subject')));
    return normalized('email', `mailto:${to}?subject=${subject}&body=${percentEncode(given('body'))}`);
  },
  phone: (given) => {
    const phone = parsePhone(given('number'));
    return phone.kind === 'phone' ? phone.href : given('number');
  },
  sms: (given) =>
    normalized('sms', `sms:${percentEncode(given('number'))}?body=${percentEncode(given('message'))}`),
  whatsapp: (given) =>
    normalized(
      'whatsapp',
      `whatsapp://send?phone=${percentEncode(given('number'))}&text=${percentEncode(given('message'))}`,
    ),
  geo: (given) => {
    const place = parsePlace(given('place'));
    return place ? writePlace(place, given('label')) : given('place');
  },
};

/** Unchanged where it cannot be parsed. */
function normalized(type: CodeType, payload: string): string {
  const content = parseContent(type, payload);
  return 'href' in content ? content.href : payload;
}

const securities = new Map([
  ['none', 'nopass'],
  ['WEP', 'WEP'],
  ['WPA', 'WPA'],
]);

function composeWifi(given: Given): string {
  const security = securities.get(given('security')) ?? 'WPA';
  const password = given('password');
  return [
    `WIFI:T:${security}`,
    `S:${escapeField(given('networkName'))}`,
    ...(password && security !== 'nopass' ? [`P:${escapeField(password)}`] : []),
    ...(given('hidden') ? ['H:true'] : []),
    ';',
  ].join(';');
}
