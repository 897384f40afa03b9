import type { ContactContent } from './code-content.ts';
import type { ContentFields } from './compose-content.ts';
import { parseMecard } from './mecard.ts';
import { manyLines, oneLine } from './plain-text.ts';
import { splitUnescaped } from './semicolon-fields.ts';
import { parseVcard, writeVcard } from './vcard.ts';
import {
  escapeValue,
  parameterValues,
  unescapeValue,
  type VcardProperty,
  vcardProperty,
} from './vcard-property.ts';

/** The fields of each phone, and those of each email address. The first of either has the name it always had. */
export const phoneFields = ['phone', 'phone2', 'phone3'] as const;
export const emailFields = ['email', 'email2', 'email3'] as const;
export const kindOf = (phone: string) => `${phone}Kind`;
/** The types of a phone that the form has, as vCards write them. */
export const phoneKinds = ['CELL', 'WORK', 'HOME', 'FAX'] as const;

/** In the order of a vCard; its first two parts, a post office box and an extension, are obsolete. */
export const addressFields = ['street', 'city', 'region', 'postalCode', 'country'] as const;

export const contactFieldNames = [
  'contactName',
  'organization',
  'jobTitle',
  ...phoneFields.flatMap((name) => [name, kindOf(name)]),
  ...emailFields,
  'website',
  ...addressFields,
  'note',
];

/** Fields that were added later come last or are left out, so that older contacts are written as they were. */
export function composeContact(given: (name: string) => string): string {
  const line = (name: string) => escapeValue(oneLine(given(name)));
  const property = (name: string, field: string) => (line(field) ? [vcardProperty(name, line(field))] : []);
  const phones = phoneFields.flatMap((field) =>
    property('TEL', field).map((phone) => withKind(phone, given(kindOf(field)))),
  );
  const address = addressFields.map(line);
  const note = escapeValue(manyLines(given('note')).trim());
  const properties = [
    vcardProperty('FN', line('contactName')),
    vcardProperty('N', `;${line('contactName')};;;`),
    ...property('ORG', 'organization'),
    ...property('TITLE', 'jobTitle'),
    ...phones,
    ...emailFields.flatMap((field) => property('EMAIL', field)),
    ...property('URL', 'website'),
    ...(address.some(Boolean) ? [vcardProperty('ADR', `;;${address.join(';')}`)] : []),
    ...(note ? [vcardProperty('NOTE', note)] : []),
  ];
  return writeVcard({ version: '3.0', properties });
}

function withKind(phone: VcardProperty, kind: string): VcardProperty {
  const known = phoneKinds.find((each) => each === kind);
  return known ? { ...phone, parameters: [{ name: 'TYPE', values: [known] }] } : phone;
}

/** What the fields can hold of a contact; the caller finds out whether that is all of it. */
export function fieldsOfContact(parsed: ContactContent, content: string): ContentFields {
  const { properties } = parseVcard(content) ?? parseMecard(content) ?? { properties: [] };
  const named = (name: string) => properties.filter((property) => property.name === name);
  const kinds = named('TEL').map((property) => parameterValues(property, 'TYPE').join(',').toUpperCase());
  const [, , ...address] = splitUnescaped(named('ADR')[0]?.raw ?? '', ';').map(unescapeValue);
  return {
    contactName: parsed.name,
    organization: parsed.organization,
    jobTitle: parsed.title,
    ...Object.fromEntries(
      phoneFields.flatMap((field, index) => [
        [field, parsed.phones[index]?.number ?? ''],
        [kindOf(field), phoneKinds.find((kind) => kind === kinds[index]) ?? ''],
      ]),
    ),
    ...Object.fromEntries(emailFields.map((field, index) => [field, parsed.emails[index]?.address ?? ''])),
    website: parsed.links[0]?.text ?? '',
    ...Object.fromEntries(addressFields.map((field, index) => [field, address[index] ?? ''])),
    note: parsed.note,
  };
}
