import { linesOf, oneLine } from './plain-text.ts';
import { parameterValues, unescapeValue, type VcardProperty } from './vcard-property.ts';

/** The types worth showing (not VOICE, PREF or INTERNET), in the order in which they are spoken. */
const kinds: [string, string][] = [
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
export function labelOf(property: VcardProperty, all: VcardProperty[]): string {
  const group = property.group.toLowerCase();
  const own = group && all.find((one) => one.name === 'X-ABLABEL' && one.group.toLowerCase() === group);
  // Apple writes its own labels as _$!<HomePage>!$_.
  if (own) return oneLine(unescapeValue(own.raw).replace(/^_\$!<(.*)>!\$_$/s, '$1'));
  const types = parameterValues(property, 'TYPE').flatMap((value) => value.toLowerCase().split(','));
  const words = new Set(kinds.filter(([kind]) => types.includes(kind)).map(([, word]) => word));
  return [...words].map((word, index) => (index === 0 ? word : word.toLowerCase())).join(' ');
}

/** The seven parts of an ADR, as on an envelope. */
export function addressLines(parts: string[]): string[] {
  const [box = '', extended = '', street = '', ...rest] = parts;
  const [city = '', region = '', postalCode = '', country = ''] = rest.map((part) => oneLine(part));
  const town = region
    ? [city, [region, postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')
    : [postalCode, city].filter(Boolean).join(' ');
  return [box, extended, street, town, country].flatMap((part) => linesOf(part).map(oneLine)).filter(Boolean);
}

/** 1990-01-02, or --01-02 without the year; anything else unchanged. */
export function birthdayOf(written: string): string {
  const [, year, month, day] = /^(\d{4}|--)-?(\d{2})-?(\d{2})(?:T.*)?$/i.exec(written) ?? [];
  if (year === undefined) return written;
  return year === '--' ? `--${month}-${day}` : `${year}-${month}-${day}`;
}
