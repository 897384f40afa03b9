import type { FieldError } from '../../errors.ts';
import type { Language } from '../../http/preferred-language.ts';
import {
  type ContentLine,
  contentLine,
  escapeValue,
  parameterValues,
  unescapeValue,
  withoutUnsafeAddresses,
} from './content-lines.ts';
import {
  type ContentFields,
  type ContentType,
  type FormPart,
  type Given,
  type Localized,
  optional,
  type PagePart,
  type Reader,
  required,
  textFact,
} from './content-type.ts';
import { invalidAddress, parseEmail } from './email.ts';
import { addressesAmong, linksOfText, webHrefOfAddress } from './links.ts';
import { splitUnescaped } from './payload-syntax.ts';
import { invalidNumber, isPhoneNumber } from './phone.ts';
import {
  addCountryCode,
  formatPhoneNumber,
  missingCountryCode,
  needsCountryCode,
  withoutCountryCode,
} from './phone-number.ts';
import { manyLines, oneLine } from './plain-text.ts';
import { parseCard, writeVcard } from './vcard.ts';
import { type ContactContent, parseContact } from './vcard-contact.ts';

/** The fields of each phone, and those of each email address. The first of either has the name it always had. */
export const phoneFields = ['phone', 'phone2', 'phone3'] as const;
export const emailFields = ['email', 'email2', 'email3'] as const;
export const kindOf = (phone: string) => `${phone}Kind`;
/** The types of a phone that the form has, as vCards write them. */
const phoneKinds: [string, string][] = [
  ['', 'Not stated'],
  ['CELL', 'Mobile'],
  ['WORK', 'Work'],
  ['HOME', 'Home'],
  ['FAX', 'Fax'],
];
/** In the order of a vCard; its first two parts, a post office box and an extension, are obsolete. */
const addressFields = ['street', 'city', 'region', 'postalCode', 'country'] as const;

const warning = `Scanners abroad cannot call a number of this contact: ${addCountryCode}`;
const texts = {
  save: {
    en: 'Save contact',
    de: 'Kontakt speichern',
    fr: 'Enregistrer le contact',
    es: 'Guardar contacto',
    pt: 'Salvar contato',
    zh: '保存联系人',
  },
  phone: { en: 'Phone', de: 'Telefon', fr: 'Téléphone', es: 'Teléfono', pt: 'Telefone', zh: '电话' },
  email: { en: 'Email', de: 'E-Mail', fr: 'E-mail', es: 'Correo', pt: 'E-mail', zh: '邮箱' },
  website: { en: 'Website', de: 'Website', fr: 'Site web', es: 'Sitio web', pt: 'Site', zh: '网站' },
  address: { en: 'Address', de: 'Adresse', fr: 'Adresse', es: 'Dirección', pt: 'Endereço', zh: '地址' },
  birthday: {
    en: 'Birthday',
    de: 'Geburtstag',
    fr: 'Anniversaire',
    es: 'Cumpleaños',
    pt: 'Aniversário',
    zh: '生日',
  },
  note: { en: 'Note', de: 'Notiz', fr: 'Note', es: 'Nota', pt: 'Observação', zh: '备注' },
};
const labels = new Map<string, Localized>([
  ['home', { en: 'home', de: 'privat', fr: 'domicile', es: 'casa', pt: 'casa', zh: '住宅' }],
  ['work', { en: 'work', de: 'Arbeit', fr: 'travail', es: 'trabajo', pt: 'trabalho', zh: '工作' }],
  ['mobile', { en: 'mobile', de: 'mobil', fr: 'mobile', es: 'móvil', pt: 'celular', zh: '手机' }],
  ['fax', { en: 'fax', de: 'Fax', fr: 'fax', es: 'fax', pt: 'fax', zh: '传真' }],
]);

export const contact = {
  name: 'Contact',
  parse: parseContact,
  form: {
    // What most cards have first; the rest opens where it is used.
    parts: [
      { name: 'contactName', label: 'Full name' },
      {
        row: [
          { name: 'jobTitle', label: 'Title (optional)' },
          { name: 'organization', label: 'Organization (optional)' },
        ],
      },
      phoneRow('phone', 'Phone'),
      { name: 'email', label: 'Email (optional)', inputMode: 'email' },
      { name: 'website', label: 'Website (optional)', inputMode: 'url' },
      {
        title: 'More phones and emails',
        more: [
          phoneRow('phone2', 'Phone 2'),
          phoneRow('phone3', 'Phone 3'),
          { name: 'email2', label: 'Email 2 (optional)', inputMode: 'email' },
          { name: 'email3', label: 'Email 3 (optional)', inputMode: 'email' },
        ],
      },
      {
        title: 'Address and note',
        more: [
          { name: 'street', label: 'Street (optional)' },
          {
            row: [
              { name: 'postalCode', label: 'Postal code (optional)' },
              { name: 'city', label: 'City (optional)' },
            ],
          },
          {
            row: [
              { name: 'region', label: 'State or region (optional)' },
              { name: 'country', label: 'Country (optional)' },
            ],
          },
          { name: 'note', label: 'Note (optional)', input: 'area', rows: 3 },
        ],
      },
    ],
    compose: composeContact,
    read: (parsed, content) => (parsed.kind === 'contact' ? fieldsOfContact(parsed, content) : undefined),
    errors: contactErrors,
  },
  keep: (given) => ({
    name: given('contactName'),
    number: given('phone'),
    email: given('email'),
    address: given('website'),
    text: [
      'contactName',
      'organization',
      'jobTitle',
      ...phoneFields,
      ...emailFields,
      'website',
      ...addressFields,
      'note',
    ]
      .map(given)
      .filter(Boolean)
      .join('\n'),
  }),
  fill: ({ name, number, email, address, message }) => ({
    contactName: name,
    organization: '',
    phone: number,
    email,
    website: address,
    note: message,
  }),
  remedy: 'Write it as a vCard that begins with BEGIN:VCARD and has a name.',
  phoneNumbers: {
    read: (parsed) => (parsed.kind === 'contact' ? parsed.phones.map(({ number }) => number) : []),
    warning,
  },
  shown: {
    kind: 'contact',
    label: { en: 'Contact', de: 'Kontakt', fr: 'Contact', es: 'Contacto', pt: 'Contato', zh: '联系人' },
    icon: [[12, 8, 4], 'M4 21c0-4 3.5-6 8-6s8 2 8 6'],
    title: ({ name, organization }) => name.trim() || organization.trim(),
    subtitle: (content) => rolesOf(content).join(', '),
    page: contactPage,
    facts: ({ name, organization }) => [
      ['Contact', name],
      ['Organization', organization],
    ],
    links: ({ links }) => links.flatMap(({ href }) => href ?? []),
    mentions: ({ vcf, note }) => [
      ...addressesAmong(unescapeValue(vcf.replaceAll('\r\n ', ''))),
      ...linksOfText(note),
    ],
    file: {
      extension: 'vcf',
      mediaType: 'text/vcard; charset=utf-8',
      name: ({ name }) => name,
      fallbackName: 'contact',
      write: ({ vcf }) => withoutUnsafeAddresses(vcf),
    },
  },
  example: [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'FN:Mara Lindt',
    'N:;Mara Lindt;;;',
    'ORG:Fernweh Roastery',
    'TITLE:Head of Coffee',
    'TEL;TYPE=WORK:+494012345678',
    'EMAIL:mara@example.com',
    'URL:https://example.com/',
    'END:VCARD',
  ].join('\r\n'),
} satisfies ContentType<ContactContent>;

function phoneRow(name: string, label: string): FormPart {
  return {
    row: [
      {
        name,
        label: `${label} (optional)`,
        inputMode: 'tel',
        caution: { text: warning, pattern: withoutCountryCode },
      },
      {
        name: kindOf(name),
        label: `Type of ${label.toLowerCase()}`,
        input: 'select',
        choices: phoneKinds,
      },
    ],
  };
}

function contactErrors(given: Given): FieldError[] {
  const isWebsite = (text: string) => webHrefOfAddress(text) !== undefined;
  return [
    ...required(given, 'contactName'),
    ...phoneFields.flatMap((name) => phoneErrors(given, name)),
    ...emailFields.flatMap((name) => optional(given, name, isOneAddress, invalidAddress)),
    ...optional(given, 'website', isWebsite, 'must be a web address, such as https://example.com/'),
  ];
}

function phoneErrors(given: Given, field: string): FieldError[] {
  const errors = optional(given, field, isPhoneNumber, invalidNumber);
  const lacksCode = errors.length === 0 && needsCountryCode(given(field));
  return lacksCode ? [{ field, message: missingCountryCode }] : errors;
}

function isOneAddress(text: string): boolean {
  const parsed = parseEmail(text);
  return parsed.kind === 'email' && parsed.to.length === 1;
}

/** Without a name, the organization is the title already. */
function rolesOf({ name, organization, title }: ContactContent): string[] {
  return [title, name.trim() ? organization : ''].filter((role) => role.trim() !== '');
}

function contactPage(content: ContactContent, { language }: Reader): PagePart[] {
  const { phones, emails, links, addresses, birthday, note } = content;
  const roles = rolesOf(content);
  const labeled = (label: string) => (label.trim() === '' ? {} : { note: translated(label, language) });
  const facts = [
    {
      name: texts.phone[language],
      values: phones.map(({ number, href, label }) => ({
        text: formatPhoneNumber(number),
        href,
        ...labeled(label),
      })),
    },
    {
      name: texts.email[language],
      values: emails.map(({ address, href, label }) => ({ text: address, href, ...labeled(label) })),
    },
    { name: texts.website[language], values: links },
    {
      name: texts.address[language],
      values: addresses.map((lines) => ({ text: lines.join('\n') })),
    },
    textFact(texts.birthday[language], birthdayIn(language, birthday)),
    note === ''
      ? undefined
      : { name: texts.note[language], values: [{ text: note, look: 'linked' as const }] },
  ];
  return [
    { part: 'person', roles },
    { part: 'actions', buttons: [{ label: texts.save[language], file: 'vcf' }] },
    { part: 'facts', facts },
  ];
}

/** Common vCard labels are translated ("Work fax"); others are shown as they are. */
function translated(label: string, language: Language): string {
  const words = label
    .trim()
    .split(' ')
    .map((word) => labels.get(word.toLowerCase())?.[language]);
  return words.includes(undefined) ? label : words.join(', ');
}

/** Formats 1990-12-10, or --12-10 without a year, for the language of the page. */
function birthdayIn(language: Language, birthday: string): string {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? [];
  if (year === undefined) return birthday;
  // A leap year, so that February 29 exists.
  const date = new Date(`${year === '-' ? '2000' : year}-${month}-${day}T00:00:00Z`);
  if (date.getUTCDate() !== Number(day)) return birthday;
  return dateFormat(language, year !== '-').format(date);
}

// Cached, because creating one takes longer than rendering the rest of the page.
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(language: Language, hasYear: boolean): Intl.DateTimeFormat {
  const key = `${language} ${hasYear}`;
  const known = dateFormats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'long',
    ...(hasYear && { year: 'numeric' }),
  });
  dateFormats.set(key, made);
  return made;
}

/** Fields that were added later come last or are left out, so that older contacts are written as they were. */
function composeContact(given: Given): string {
  const line = (name: string) => escapeValue(oneLine(given(name)));
  const property = (name: string, field: string) => (line(field) ? [contentLine(name, line(field))] : []);
  const phones = phoneFields.flatMap((field) =>
    property('TEL', field).map((phone) => withKind(phone, given(kindOf(field)))),
  );
  const address = addressFields.map(line);
  const note = escapeValue(manyLines(given('note')).trim());
  const properties = [
    contentLine('FN', line('contactName')),
    contentLine('N', `;${line('contactName')};;;`),
    ...property('ORG', 'organization'),
    ...property('TITLE', 'jobTitle'),
    ...phones,
    ...emailFields.flatMap((field) => property('EMAIL', field)),
    ...property('URL', 'website'),
    ...(address.some(Boolean) ? [contentLine('ADR', `;;${address.join(';')}`)] : []),
    ...(note ? [contentLine('NOTE', note)] : []),
  ];
  return writeVcard({ version: '3.0', properties });
}

function withKind(phone: ContentLine, kind: string): ContentLine {
  const known = phoneKinds.find(([each]) => each !== '' && each === kind)?.[0];
  return known ? { ...phone, parameters: [{ name: 'TYPE', values: [known] }] } : phone;
}

/** As much as the fields can hold; the caller finds out whether that is all of it. */
function fieldsOfContact(parsed: ContactContent, content: string): ContentFields {
  const { properties } = parseCard(content) ?? { properties: [] };
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
        [kindOf(field), phoneKinds.find(([kind]) => kind === kinds[index])?.[0] ?? ''],
      ]),
    ),
    ...Object.fromEntries(emailFields.map((field, index) => [field, parsed.emails[index]?.address ?? ''])),
    website: parsed.links[0]?.text ?? '',
    ...Object.fromEntries(addressFields.map((field, index) => [field, address[index] ?? ''])),
    note: parsed.note,
  };
}
