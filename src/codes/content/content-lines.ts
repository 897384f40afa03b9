import { isUtf8 } from 'node:buffer';

/** One line of a vCard or an iCalendar: `group.NAME;PARAMETER=value:value`. */
export interface ContentLine {
  group: string;
  name: string;
  parameters: Parameter[];
  /** Not unescaped yet. */
  raw: string;
}

interface Parameter {
  name: string;
  values: string[];
}

const lineOctets = 75;
const head = /^(?:([a-z0-9-]+)\.)?([a-z0-9-]+)((?:;[^":;]*(?:"[^"]*"[^":;]*)*)*):(.*)$/is;
const encodings = ['QUOTED-PRINTABLE', 'BASE64', '8BIT', '7BIT'];

export function contentLine(name: string, raw: string): ContentLine {
  return { group: '', name, parameters: [], raw };
}

export function parameterValues(line: ContentLine, name: string): string[] {
  return line.parameters.filter((one) => one.name === name).flatMap((one) => one.values);
}

/** Versions and generators escape different characters: all of them are accepted. */
export function unescapeValue(raw: string): string {
  return raw.replace(/\\([\\;,:nN"])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
}

export function escapeValue(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n');
}

/** Joins folded lines. Looks at each line once: a card may be folded after every character. */
export function unfold(text: string): string[] {
  const lines: UnfoldedLine[] = [];
  for (const written of text.split(/\r\n|\r|\n/)) {
    const last = lines.at(-1);
    if (last?.isQuoted && last.text.endsWith('=') && !/^END:V(?:CARD|EVENT)\s*$/i.test(written)) {
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

/** Undefined for a malformed line. The syntax of vCard 2.1 is converted to 3.0. */
export function parseLine(text: string): ContentLine | undefined {
  const [, group = '', name, parameterText = '', value = ''] = head.exec(text) ?? [];
  if (name === undefined) return undefined;
  const all = parseParameters(parameterText);
  const line = { group, name: name.toUpperCase(), parameters: all, raw: value };
  if (parameterValues(line, 'ENCODING').some((encoding) => /^QUOTED-PRINTABLE$/i.test(encoding))) {
    const decoded = decodeQuotedPrintable(value, parameterValues(line, 'CHARSET')[0]);
    line.raw = decoded.replace(/\r\n|\r|\n/g, '\\n');
  }
  line.raw = withoutControls(line.raw);
  line.parameters = all.flatMap(toVersion3);
  return line;
}

function parseParameters(text: string): Parameter[] {
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
function toVersion3(parameter: Parameter): Parameter[] {
  if (parameter.name === 'CHARSET') return [];
  if (parameter.name !== 'ENCODING') return [parameter];
  return parameter.values.some((value) => /^(?:b|base64)$/i.test(value))
    ? [{ name: 'ENCODING', values: ['b'] }]
    : [];
}

/** Each line folded and ended with CRLF; `parseLine` has removed line breaks inside of values. */
export function writeLines(lines: ContentLine[]): string {
  return lines.map((line) => `${fold(lineText(line))}\r\n`).join('');
}

function lineText({ group, name, parameters, raw }: ContentLine): string {
  const texts = parameters.map(
    (one) =>
      `;${one.name}=${one.values.map((value) => (/[:;,]/.test(value) ? `"${value}"` : value)).join(',')}`,
  );
  return `${group ? `${group}.` : ''}${name}${texts.join('')}:${raw}`;
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

export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\t]/gu, '');
}

/** Invalid escapes stay as they are. */
export function decodeQuotedPrintable(text: string, charset: string | undefined): string {
  const decode = charset ? decoderFor(charset) : guessCharset;
  return text.replace(/(?:=[0-9a-f]{2})+/gi, (run) => decode(Buffer.from(run.replaceAll('=', ''), 'hex')));
}

/** Outlook writes Windows-1252 without a CHARSET. */
function guessCharset(bytes: Buffer): string {
  return (isUtf8(bytes) ? utf8 : windows1252).decode(bytes);
}

const utf8 = new TextDecoder();
const windows1252 = new TextDecoder('windows-1252');

function decoderFor(charset: string): (bytes: Buffer) => string {
  try {
    const decoder = new TextDecoder(charset);
    return (bytes) => decoder.decode(bytes);
  } catch {
    return (bytes) => utf8.decode(bytes);
  }
}

/** Properties whose value is an address that programs open or load. */
const addressProperty = /^(?:[a-z0-9-]{1,64}\.)?(?:URL|SOURCE|X-[a-z0-9-]{0,64}URL)[;:]/i;
const attachment = /^(?:[a-z0-9-]{1,64}\.)?ATTACH[;:]/i;
const harmless = new Set(['http', 'https', 'mailto', 'tel']);

/**
 * For a file that people open in their contacts or calendar: without attachments, which programs may load, and without addresses
 * of other schemes, which share pages do not show as links either. `file` has been written by `writeLines`.
 */
export function withoutUnsafeAddresses(file: string): string {
  return file
    .split(/\r\n(?! )/)
    .filter((folded) => {
      const line = folded.replaceAll('\r\n ', '');
      return !attachment.test(line) && (!addressProperty.test(line) || hasHarmlessScheme(line));
    })
    .join('\r\n');
}

/** Programs ignore white space in an address, and a colon may be escaped. */
function hasHarmlessScheme(line: string): boolean {
  const [, , , , value = ''] = head.exec(line) ?? [];
  // A host with a port has no scheme.
  const [, scheme] = /^([^:/?#]*):(?!\d+(?:[/?#]|$))/.exec(value.replace(/[\p{Cc}\p{Z}\\]/gu, '')) ?? [];
  return scheme === undefined || harmless.has(scheme.toLowerCase());
}
