import type { ContactContent, TextContent } from './code-content.ts';
import { addressLines, birthdayOf, labelOf } from './contact-details.ts';
import { parseEmail } from './email.ts';
import { webHrefOfAddress } from './links.ts';
import { parseMecard } from './mecard.ts';
import { parsePhone } from './phone.ts';
import { asText, manyLines, oneLine } from './plain-text.ts';
import { splitUnescaped } from './semicolon-fields.ts';
import { parseVcard, type Vcard, writeVcard } from './vcard.ts';
import { escapeValue, unescapeValue, type VcardProperty, vcardProperty } from './vcard-property.ts';

export function parseContact(content: string): ContactContent | TextContent {
  const card = parseVcard(content) ?? parseMecard(content);
  return (card && contactOf(card)) ?? asText(content);
}

function contactOf(card: Vcard): ContactContent | undefined {
  const named = (...names: string[]) => card.properties.filter(({ name }) => names.includes(name));
  const organization = firstText(named('ORG').map((property) => parts(property).filter(Boolean).join(', ')));
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
  const added: VcardProperty[] = [];
  if (!properties.some((property) => property.name === 'FN' && line(property))) {
    added.push(vcardProperty('FN', escapeValue(name)));
  }
  if (version === '3.0' && !properties.some((property) => property.name === 'N')) {
    added.push(vcardProperty('N', `;${escapeValue(ownName)};;;`));
  }
  return { version, properties: [...added, ...properties.filter((property) => !isEmptyName(property))] };
}

function isEmptyName(property: VcardProperty): boolean {
  return property.name === 'FN' && line(property) === '';
}

function phoneOf(property: VcardProperty, card: Vcard): ContactContent['phones'] {
  const written = line(property);
  const label = labelOf(property, card.properties);
  const phone = parsePhone(written);
  if (phone.kind === 'phone') return [{ number: phone.number, href: phone.href, label }];
  return written ? [{ number: written, label }] : [];
}

function emailOf(property: VcardProperty, card: Vcard): ContactContent['emails'] {
  const written = line(property).replace(/^mailto:([^?]*).*$/is, '$1');
  const label = labelOf(property, card.properties);
  const email = parseEmail(written);
  if (email.kind !== 'email') return written ? [{ address: written, label }] : [];
  return email.to.flatMap((address) => {
    const one = parseEmail(address);
    return one.kind === 'email' ? [{ address, href: one.href, label }] : [];
  });
}

function linkOf(property: VcardProperty): ContactContent['links'] {
  const text = line(property);
  const href = webHrefOfAddress(text);
  if (href) return [{ text, href }];
  return text ? [{ text }] : [];
}

/** Family, given, additional, prefix, suffix, put in the order in which they are spoken. */
function nameInOrder(property: VcardProperty): string {
  const [family, given, additional, prefix, suffix] = parts(property);
  return [prefix, given, additional, family, suffix].filter(Boolean).join(' ');
}

function parts(property: VcardProperty): string[] {
  return splitUnescaped(property.raw, ';').map((part) => oneLine(unescapeValue(part)));
}

function line(property: VcardProperty): string {
  return oneLine(unescapeValue(property.raw));
}

function firstText(texts: string[]): string {
  return texts.find((text) => text !== '') ?? '';
}
