import { parseFields, splitUnescaped, unescapeField } from './semicolon-fields.ts';
import type { Vcard } from './vcard.ts';
import { escapeValue, type VcardProperty, vcardProperty } from './vcard-property.ts';

/** The vCard property of each MECARD field. */
const names: Record<string, string> = {
  TEL: 'TEL',
  'TEL-AV': 'TEL',
  EMAIL: 'EMAIL',
  NOTE: 'NOTE',
  BDAY: 'BDAY',
  URL: 'URL',
  NICKNAME: 'NICKNAME',
  ORG: 'ORG',
  COMPANY: 'ORG',
  TITLE: 'TITLE',
};
const keys = ['N', 'ADR', 'SOUND', ...Object.keys(names)];

export function parseMecard(content: string): Vcard | undefined {
  const [, body] = /^\s*MECARD:(.*)$/is.exec(content) ?? [];
  if (body === undefined) return undefined;
  const properties = parseFields(body.trimEnd(), keys).flatMap(({ key, raw }): VcardProperty[] => {
    if (key === 'N') return nameProperties(raw);
    if (key === 'ADR') return [vcardProperty('ADR', address(raw))];
    const name = names[key];
    return name ? [vcardProperty(name, escaped(raw))] : [];
  });
  return { version: '3.0', properties };
}

/** "Doe,John": the family name comes first. */
function nameProperties(raw: string): VcardProperty[] {
  const parts = splitUnescaped(raw, ',').map((part) => part.trim());
  const [family = '', given = '', ...more] = parts.map(escaped);
  const fullName = [given, ...more, family].filter((part) => part !== '').join(' ');
  return [
    vcardProperty('N', [family, given, more.join(' '), '', ''].join(';')),
    vcardProperty('FN', fullName),
  ];
}

/** Seven parts are those of a vCard, in the same order; anything else is free text. */
function address(raw: string): string {
  const parts = splitUnescaped(raw, ',');
  return parts.length === 7 ? parts.map((part) => escaped(part.trim())).join(';') : `;;${escaped(raw)};;;;`;
}

function escaped(raw: string): string {
  return escapeValue(unescapeField(raw)).replace(/[^\P{Cc}\t]/gu, '');
}
