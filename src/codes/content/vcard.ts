import {
  type ContentLine,
  contentLine,
  escapeValue,
  parseLine,
  unfold,
  withoutControls,
  writeLines,
} from './content-lines.ts';
import { parseFields, splitUnescaped, unescapeField } from './payload-syntax.ts';

export interface Vcard {
  version: '3.0' | '4.0';
  properties: ContentLine[];
}

/** A vCard or the shorter MECARD. */
export function parseCard(content: string): Vcard | undefined {
  return parseVcard(content) ?? parseMecard(content);
}

/**
 * Parses the first card in a text. A malformed line is skipped and the rest is kept. The syntax of version 2.1 is
 * converted to 3.0.
 */
export function parseVcard(content: string): Vcard | undefined {
  if (!/^\s*BEGIN:VCARD\s*[\r\n]/i.test(content)) return undefined;
  const properties: ContentLine[] = [];
  let depth = 0;
  for (const line of unfold(content.trim())) {
    if (/^BEGIN:/i.test(line)) depth += 1;
    else if (/^END:/i.test(line)) depth -= 1;
    else if (depth === 1) properties.push(...parseProperty(line));
    if (depth === 0) break;
  }
  const version = properties.find(({ name }) => name === 'VERSION')?.raw.trim();
  return {
    version: version === '4.0' ? '4.0' : '3.0',
    properties: properties.filter(({ name }) => name !== 'VERSION'),
  };
}

function parseProperty(text: string): ContentLine[] {
  const line = parseLine(text);
  return line && line.name !== 'BEGIN' && line.name !== 'END' ? [line] : [];
}

export function writeVcard({ version, properties }: Vcard): string {
  return writeLines([
    contentLine('BEGIN', 'VCARD'),
    contentLine('VERSION', version),
    ...properties,
    contentLine('END', 'VCARD'),
  ]);
}

/** Octets of a folded line, including the space that it starts with. */
const photoLineLength = 75;

/** A vCard as `writeVcard` writes it, with this photo as its only one. */
export function withPhoto(vcf: string, jpeg: Buffer): string {
  const data = jpeg.toString('base64');
  const isVersion4 = vcf.startsWith('BEGIN:VCARD\r\nVERSION:4.0\r\n');
  const property = isVersion4 ? `PHOTO:data:image/jpeg;base64,${data}` : `PHOTO;ENCODING=b;TYPE=JPEG:${data}`;
  const lines: string[] = [];
  for (let at = 0; at < property.length; at += photoLineLength - 1)
    lines.push(property.slice(at, at + photoLineLength - 1));
  const others = vcf.split(/\r\n(?! )/).filter((line) => !/^(?:[a-z0-9-]{1,100}\.)?PHOTO[;:]/i.test(line));
  others.splice(2, 0, lines.join('\r\n '));
  return others.join('\r\n');
}

/** The vCard property of each MECARD field. */
const mecardNames: Record<string, string> = {
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
const mecardKeys = ['N', 'ADR', 'SOUND', ...Object.keys(mecardNames)];

function parseMecard(content: string): Vcard | undefined {
  const [, body] = /^\s*MECARD:(.*)$/is.exec(content) ?? [];
  if (body === undefined) return undefined;
  const properties = parseFields(body.trimEnd(), mecardKeys).flatMap(({ key, raw }): ContentLine[] => {
    if (key === 'N') return nameProperties(raw);
    if (key === 'ADR') return [contentLine('ADR', mecardAddress(raw))];
    const name = mecardNames[key];
    return name ? [contentLine(name, escaped(raw))] : [];
  });
  return { version: '3.0', properties };
}

/** "Doe,John": the family name comes first. */
function nameProperties(raw: string): ContentLine[] {
  const parts = splitUnescaped(raw, ',').map((part) => part.trim());
  const [family = '', given = '', ...more] = parts.map(escaped);
  const fullName = [given, ...more, family].filter((part) => part !== '').join(' ');
  return [contentLine('N', [family, given, more.join(' '), '', ''].join(';')), contentLine('FN', fullName)];
}

/** Seven parts are those of a vCard, in the same order; anything else is free text. */
function mecardAddress(raw: string): string {
  const parts = splitUnescaped(raw, ',');
  return parts.length === 7 ? parts.map((part) => escaped(part.trim())).join(';') : `;;${escaped(raw)};;;;`;
}

function escaped(raw: string): string {
  return withoutControls(escapeValue(unescapeField(raw)));
}
