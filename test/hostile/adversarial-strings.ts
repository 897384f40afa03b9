/** Special to most parsers: each is combined with each other, and with a parser's own keywords. */
const core = [
  'a',
  '0',
  ' ',
  '\n',
  '\n\t',
  ',',
  ';',
  ':',
  '=',
  '"',
  '\\',
  '/',
  '?',
  '&',
  '%FF',
  '@',
  '.',
  '-',
];
/** Tried alone, and combined with a parser's own keywords. */
const more = [
  'A1',
  '\t',
  '\r\n',
  "'",
  '#',
  '%4',
  '%41',
  'a.',
  '+',
  '(',
  ')',
  '[',
  '<',
  '>',
  'é',
  '°',
  '\u2028',
  '😀',
];

export interface Shape {
  /** The largest input of the parser, in bytes of UTF-8. */
  bytes: number;
  /** Prefixes that lead into a part of the parser. The empty one is always tried too. */
  starts?: string[];
  /** Keywords of this parser. */
  fragments?: string[];
  /** Too long to be parsed: without `everything`, a few of what is special to most parsers are enough. */
  isTooLong?: boolean;
  /** Whole texts, such as one that was once slow. They are truncated to size. */
  known?: string[];
}

/**
 * Each fragment, repeated, after each prefix, with a suffix that breaks the match. With `everything`, also without it and with
 * other suffixes, and each pair of fragments; else, after a prefix only what is special to most parsers or to this one.
 */
export function* adversarialStrings(
  { bytes, starts = [], fragments = [], known = [], isTooLong = false }: Shape,
  everything: boolean,
) {
  const ends = everything ? ['', 'a', '\u0001', '\n'] : ['\u0001'];
  for (const text of known) yield cut(text, bytes);
  for (const start of ['', ...starts]) {
    const general = everything || start === '' ? [...core, ...more] : core;
    for (const one of [...(isTooLong && !everything ? core.slice(0, 6) : general), ...fragments]) {
      for (const end of ends) yield filled(start, one, end, bytes);
      for (const own of everything ? fragments : []) {
        if (own === one) continue;
        yield filled(start, own + one, '!', bytes);
      }
    }
  }
  if (!everything) return;
  for (const one of core) for (const other of core) yield filled('', one + other, '!', bytes);
}

function filled(start: string, fragment: string, end: string, bytes: number): string {
  const room = bytes - Buffer.byteLength(start) - Buffer.byteLength(end);
  return start + fragment.repeat(Math.max(0, Math.floor(room / Buffer.byteLength(fragment)))) + end;
}

function cut(text: string, bytes: number): string {
  return Buffer.from(text).subarray(0, bytes).toString().replaceAll('\ufffd', '');
}
