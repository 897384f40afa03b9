import {
  type ContentLine,
  contentLine,
  escapeValue,
  parameterValues,
  unescapeValue,
} from './content-lines.ts';
import { parseEmail } from './email.ts';
import { webHrefOfAddress } from './links.ts';
import { splitUnescaped } from './payload-syntax.ts';
import { parsePhone } from './phone.ts';
import { asText, linesOf, manyLines, oneLine, type TextContent } from './plain-text.ts';
import { parseCard, type Vcard, writeVcard } from './vcard.ts';

export interface ContactContent {
  kind: 'contact';
  name: string;
  organization: string;
  title: string;
  /** Without `href` where it cannot be dialed, mailed or opened: it is still shown. */
  phones: { number: string; href?: string; label: string }[];
  emails: { address: string; href?: string; label: string }[];
  links: { text: string; href?: string }[];
  /** Each as lines. */
  addresses: string[][];
  birthday: string;
  note: string;
  /** The file to save: a valid vCard with CRLF line ends and folded lines. */
  vcf: string;
}

export function parseContact(content: string): ContactContent | TextContent {
  const card = parseCard(content);
  return (card && contactOf(card)) ?? asText(content);
}

function contactOf(card: Vcard): ContactContent | undefined {
  const named = (...names: string[]) => card.properties.filter(({ name }) => names.includes(name));
  const organization = firstText(
    named('ORG').map((property) => partsOf(property).filter(Boolean).join(', ')),
  );
  const phones = named('TEL').flatMap((property) => phoneOf(property, card));
  const emails = named('EMAIL').flatMap((property) => emailOf(property, card));
  const links = named('URL', 'X-SOCIALPROFILE').flatMap(linkOf);
  const ownName = firstText([...named('FN').map(line), ...named('N').map(nameInOrder)]);
  // A card without a name is saved under its first other detail.
  const name = firstText([
    ownName,
    organization,
    ...named('NICKNAME').map(line),
    ...emails.map(({ address }) => address),
    ...phones.map(({ number }) => number),
    ...links.map(({ text }) => text),
  ]);
  if (!name) return undefined;
  return {
    kind: 'contact',
    name,
    organization,
    title: firstText(named('TITLE', 'ROLE').map(line)),
    phones,
    emails,
    links,
    addresses: named('ADR')
      .map((property) => addressLines(splitUnescaped(property.raw, ';').map(unescapeValue)))
      .filter((lines) => lines.length > 0),
    birthday: birthdayOf(firstText(named('BDAY').map(line))),
    note: named('NOTE')
      .map((property) => manyLines(unescapeValue(property.raw)).trim())
      .filter(Boolean)
      .join('\n'),
    vcf: writeVcard(completed(card, name, ownName)),
  };
}

/** Both versions require FN, 3.0 also N: a phone may refuse a card without them. All other properties are kept. */
function completed({ version, properties }: Vcard, name: string, ownName: string): Vcard {
  const added: ContentLine[] = [];
  if (!properties.some((property) => property.name === 'FN' && line(property))) {
    added.push(contentLine('FN', escapeValue(name)));
  }
  if (version === '3.0' && !properties.some((property) => property.name === 'N')) {
    added.push(contentLine('N', `;${escapeValue(ownName)};;;`));
  }
  return { version, properties: [...added, ...properties.filter((property) => !isEmptyName(property))] };
}

function isEmptyName(property: ContentLine): boolean {
  return property.name === 'FN' && line(property) === '';
}

function phoneOf(property: ContentLine, card: Vcard): ContactContent['phones'] {
  const written = line(property);
  const label = labelOf(property, card.properties);
  const phone = parsePhone(written);
  if (phone.kind === 'phone') return [{ number: phone.number, href: phone.href, label }];
  return written ? [{ number: written, label }] : [];
}

function emailOf(property: ContentLine, card: Vcard): ContactContent['emails'] {
  const written = line(property).replace(/^mailto:([^?]*).*$/is, '$1');
  const label = labelOf(property, card.properties);
  const email = parseEmail(written);
  if (email.kind !== 'email') return written ? [{ address: written, label }] : [];
  return email.to.flatMap((address) => {
    const one = parseEmail(address);
    return one.kind === 'email' ? [{ address, href: one.href, label }] : [];
  });
}

function linkOf(property: ContentLine): ContactContent['links'] {
  const text = line(property);
  const href = webHrefOfAddress(text);
  if (href) return [{ text, href }];
  return text ? [{ text }] : [];
}

/** Family, given, additional, prefix, suffix, put in the order in which they are spoken. */
function nameInOrder(property: ContentLine): string {
  const [family, given, additional, prefix, suffix] = partsOf(property);
  return [prefix, given, additional, family, suffix].filter(Boolean).join(' ');
}

function partsOf(property: ContentLine): string[] {
  return splitUnescaped(property.raw, ';').map((part) => oneLine(unescapeValue(part)));
}

function line(property: ContentLine): string {
  return oneLine(unescapeValue(property.raw));
}

function firstText(candidates: string[]): string {
  return candidates.find((text) => text !== '') ?? '';
}

/** The types worth showing (not VOICE, PREF or INTERNET), in the order in which they are spoken. */
const typeWords: [string, string][] = [
  ['home', 'Home'],
  ['work', 'Work'],
  ['main', 'Main'],
  ['cell', 'Mobile'],
  ['mobile', 'Mobile'],
  ['car', 'Car'],
  ['pager', 'Pager'],
  ['fax', 'Fax'],
];

/** The card's own label, or else its types: "Work fax". */
function labelOf(property: ContentLine, all: ContentLine[]): string {
  const group = property.group.toLowerCase();
  const own = group && all.find((one) => one.name === 'X-ABLABEL' && one.group.toLowerCase() === group);
  // Apple writes its own labels as _$!<HomePage>!$_.
  if (own) return oneLine(unescapeValue(own.raw).replace(/^_\$!<(.*)>!\$_$/s, '$1'));
  const types = parameterValues(property, 'TYPE').flatMap((value) => value.toLowerCase().split(','));
  const words = new Set(typeWords.filter(([type]) => types.includes(type)).map(([, word]) => word));
  return [...words].map((word, index) => (index === 0 ? word : word.toLowerCase())).join(' ');
}

/** The seven parts of an ADR, as on an envelope. */
function addressLines(parts: string[]): string[] {
  const [box = '', extended = '', street = '', ...rest] = parts;
  const [city = '', region = '', postalCode = '', country = ''] = rest.map((part) => oneLine(part));
  const town = region
    ? [city, [region, postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
    : [postalCode, city].filter(Boolean).join(' ');
  return [box, extended, street, town, country].flatMap((part) => linesOf(part).map(oneLine)).filter(Boolean);
}

/** 1990-01-02, or --01-02 without the year; anything else unchanged. */
function birthdayOf(written: string): string {
  const [, year, month, day] = /^(\d{4}|--)-?(\d{2})-?(\d{2})(?:T.*)?$/i.exec(written) ?? [];
  if (year === undefined) return written;
  return year === '--' ? `--${month}-${day}` : `${year}-${month}-${day}`;
}
