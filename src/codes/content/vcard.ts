import { decodeQuotedPrintable } from './quoted-printable.ts';
import { parameterValues, type VcardParameter, type VcardProperty } from './vcard-property.ts';

export interface Vcard {
  version: '3.0' | '4.0';
  properties: VcardProperty[];
}

const lineOctets = 75;
const head = /^(?:([a-z0-9-]+)\.)?([a-z0-9-]+)((?:;[^":;]*(?:"[^"]*"[^":;]*)*)*):(.*)$/is;
const encodings = ['QUOTED-PRINTABLE', 'BASE64', '8BIT', '7BIT'];

/**
 * Parses the first card in a text. A malformed line is skipped and the rest is kept. The syntax of version 2.1 is
 * converted to 3.0.
 */
export function parseVcard(content: string): Vcard | undefined {
  if (!/^\s*BEGIN:VCARD\s*[\r\n]/i.test(content)) return undefined;
  const properties: VcardProperty[] = [];
  let depth = 0;
  for (const line of unfold(content.trim())) {
    if (/^BEGIN:/i.test(line)) depth += 1;
    else if (/^END:/i.test(line)) depth -= 1;
    else if (depth === 1) properties.push(...parseLine(line));
    if (depth === 0) break;
  }
  const version = properties.find(({ name }) => name === 'VERSION')?.raw.trim();
  return {
    version: version === '4.0' ? '4.0' : '3.0',
    properties: properties.filter(({ name }) => name !== 'VERSION'),
  };
}

/** Ends each line with CRLF; `parseVcard` has removed line breaks inside of values. */
export function writeVcard({ version, properties }: Vcard): string {
  const lines = ['BEGIN:VCARD', `VERSION:${version}`, ...properties.map(writeLine), 'END:VCARD'];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

/** Looks at each line once: a card may be folded after every character. */
function unfold(text: string): string[] {
  const lines: UnfoldedLine[] = [];
  for (const written of text.split(/\r\n|\r|\n/)) {
    const last = lines.at(-1);
    if (last?.isQuoted && last.text.endsWith('=') && !/^END:VCARD\s*$/i.test(written)) {
      last.text = last.text.slice(0, -1);
      append(last, written);
    } else if (last && /^[ \t]/.test(written)) append(last, written.slice(1));
    else if (written !== '') {
      const line: UnfoldedLine = { text: '', head: '', isHeadComplete: false, isQuoted: false };
      append(line, written);
      lines.push(line);
    }
  }
  return lines.map((line) => line.text);
}

interface UnfoldedLine {
  text: string;
  /** The text before the first colon. */
  head: string;
  isHeadComplete: boolean;
  /** Whether the value is quoted-printable, where a line with a trailing "=" continues on the next. */
  isQuoted: boolean;
}

function append(line: UnfoldedLine, part: string): void {
  line.text += part;
  if (line.isHeadComplete) return;
  const colon = part.indexOf(':');
  line.head += colon < 0 ? part : part.slice(0, colon);
  if (colon < 0) return;
  line.isHeadComplete = true;
  line.isQuoted = /;(?:ENCODING=)?QUOTED-PRINTABLE(?:;|$)/i.test(line.head);
}

function parseLine(line: string): VcardProperty[] {
  const [, group = '', name, parameterText = '', value = ''] = head.exec(line) ?? [];
  if (name === undefined || /^(?:BEGIN|END)$/i.test(name)) return [];
  const all = parseParameters(parameterText);
  const property = { group, name: name.toUpperCase(), parameters: all, raw: value };
  if (parameterValues(property, 'ENCODING').some((encoding) => /^QUOTED-PRINTABLE$/i.test(encoding))) {
    const text = decodeQuotedPrintable(value, parameterValues(property, 'CHARSET')[0]);
    property.raw = text.replace(/\r\n|\r|\n/g, '\\n');
  }
  property.raw = withoutControls(property.raw);
  property.parameters = all.flatMap(toVersion3);
  return [property];
}

function parseParameters(text: string): VcardParameter[] {
  return splitOutsideQuotes(text, ';').flatMap((part) => {
    const [, written = '', list = ''] = /^([^=]*)=(.*)$/s.exec(part) ?? ['', bareParameter(part), part];
    const name = written.trim().toUpperCase();
    const values = splitOutsideQuotes(list, ',')
      .map((value) => withoutControls(value).replaceAll('"', '').trim())
      .filter((value) => value !== '');
    return /^[A-Z0-9-]+$/.test(name) && values.length > 0 ? [{ name, values }] : [];
  });
}

/** Version 2.1 writes `TEL;CELL` and `NOTE;QUOTED-PRINTABLE`. */
function bareParameter(part: string): string {
  return encodings.includes(part.trim().toUpperCase()) ? 'ENCODING' : 'TYPE';
}

/** Version 3.0 has no CHARSET, and only the encoding "b". */
function toVersion3(parameter: VcardParameter): VcardParameter[] {
  if (parameter.name === 'CHARSET') return [];
  if (parameter.name !== 'ENCODING') return [parameter];
  return parameter.values.some((value) => /^(?:b|base64)$/i.test(value))
    ? [{ name: 'ENCODING', values: ['b'] }]
    : [];
}

function writeLine({ group, name, parameters, raw }: VcardProperty): string {
  const written = parameters.map(
    (one) =>
      `;${one.name}=${one.values.map((value) => (/[:;,]/.test(value) ? `"${value}"` : value)).join(',')}`,
  );
  return `${group ? `${group}.` : ''}${name}${written.join('')}:${raw}`;
}

/** Folds at 75 octets, including the leading space, and never inside a character. */
function fold(line: string): string {
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > lineOctets) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}

function splitOutsideQuotes(text: string, separator: ';' | ','): string[] {
  const parts = [''];
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === separator && !isQuoted) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\t]/gu, '');
}
