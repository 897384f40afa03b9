import { graphemeBreaks, type LineBreak, syllableBreaks, wordBreaks } from './line-breaks.ts';
import { type ShapedLine, shapeText } from './shape-text.ts';

export interface TextSpace {
  /** In points. */
  width: number;
  maxLines: number;
  /** Font sizes in points, the best first. */
  sizes: number[];
}

export interface FittedText {
  size: number;
  lines: ShapedLine[];
}

/**
 * Chooses the largest size at which the text fits with breaks between words, else with hyphens between syllables. What is
 * too long at the smallest size ends in an ellipsis.
 */
export async function fitText(untrusted: string, { width, maxLines, sizes }: TextSpace): Promise<FittedText> {
  const text = drawable(untrusted);
  const whole = await shapeText(text);
  const best = sizes[0] as number;
  if (text === '') return { size: best, lines: [] };
  // As most names do.
  if (whole.width * best <= 1_000 * width) return { size: best, lines: [whole] };
  const direction = whole.isRightToLeft ? 'rtl' : 'ltr';
  const ruler = { measure: measure(text, whole), hyphen: (await shapeText(hyphen)).width };
  const [byWords, bySyllables] = [wordBreaks(text), syllableBreaks(text)];
  const atAll = [...byWords, ...bySyllables].toSorted((one, other) => one.at - other.at);
  const shapeLines = async (lines: Line[], size: number): Promise<FittedText> => ({
    size,
    lines: await Promise.all(lines.map((line) => shapeLine(text, line, direction))),
  });
  for (const breaks of [byWords, atAll]) {
    for (const size of sizes) {
      const lines = wrap(text, breaks, (1_000 * width) / size, ruler);
      if (lines && lines.length <= maxLines) return shapeLines(lines, size);
    }
  }
  const size = sizes.at(-1) as number;
  const ellipsisWidth = (await shapeText(ellipsis)).width;
  return shapeLines(
    truncate(text, atAll, (1_000 * width) / size, maxLines, { ...ruler, ellipsis: ellipsisWidth }),
    size,
  );
}

/** A part of the text, and what is shown behind it. */
interface Line {
  start: number;
  end: number;
  suffix: '' | typeof hyphen | typeof ellipsis;
}

const hyphen = '-';
const ellipsis = '…';
const softHyphen = '\u00ad';

/** Of a line, in thousandths of the font size. */
interface Ruler {
  measure(start: number, end: number): number;
  hyphen: number;
}

/**
 * A split word reads as a soft hyphen at the end of the line, which tells programs to join it. It also follows a hyphen of
 * the name: some drop that at the end of a line.
 */
async function shapeLine(
  text: string,
  { start, end, suffix }: Line,
  direction: 'ltr' | 'rtl',
): Promise<ShapedLine> {
  const shown = text.slice(start, end);
  const line = await shapeText(shown + suffix, direction);
  if (suffix === hyphen) {
    const clusters = line.clusters.map((cluster) =>
      cluster.start === shown.length ? { ...cluster, text: softHyphen } : cluster,
    );
    return { ...line, clusters };
  }
  if (suffix !== '' || !shown.endsWith(hyphen) || end === text.length || text.charAt(end) === ' ')
    return line;
  const invisible = { start: end, text: softHyphen, isRightToLeft: false, glyphs: [], width: 0, advance: 0 };
  return { ...line, clusters: [...line.clusters, invisible] };
}

/** Undefined if a part without a break is wider than a line. */
function wrap(text: string, breaks: LineBreak[], width: number, ruler: Ruler): Line[] | undefined {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const line = firstLine(text, start, breaks, width, ruler);
    if (!line) return undefined;
    lines.push(line);
    start = skipSpaces(text, line.end);
  }
  return lines;
}

/** As many whole parts as fit. */
function firstLine(
  text: string,
  start: number,
  breaks: LineBreak[],
  width: number,
  ruler: Ruler,
): Line | undefined {
  let found: Line | undefined;
  for (const { at, isHyphenated } of breaks) {
    if (at <= start) continue;
    const isSoft = text.charAt(at - 1) === softHyphen;
    const line: Line = { start, end: trimmedEnd(text, at), suffix: isHyphenated || isSoft ? hyphen : '' };
    const used = ruler.measure(start, line.end) + (line.suffix ? ruler.hyphen : 0);
    if (used <= width) found = line;
    // A hyphen can be too wide where the next break needs none.
    else if (ruler.measure(start, line.end) > width) break;
  }
  return found;
}

/** Splits words without a break between their graphemes, and ends the last line in an ellipsis. */
function truncate(
  text: string,
  breaks: LineBreak[],
  width: number,
  maxLines: number,
  ruler: Ruler & { ellipsis: number },
): Line[] {
  const anywhere = graphemeBreaks(text);
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length && lines.length < maxLines) {
    const isLast = lines.length === maxLines - 1;
    const rest = { start, end: text.length, suffix: '' } as const;
    const fits = ruler.measure(start, text.length) <= width;
    const line: Line = (fits ? rest : undefined) ??
      (isLast ? undefined : firstLine(text, start, breaks, width, ruler)) ??
      firstLine(text, start, anywhere, isLast ? width - ruler.ellipsis : width, ruler) ?? {
        // Not even one grapheme fits: the line is clipped.
        ...rest,
        end: anywhere.find(({ at }) => at > start)?.at ?? text.length,
      };
    lines.push(isLast && !fits ? { ...line, suffix: ellipsis } : line);
    start = skipSpaces(text, line.end);
  }
  return lines;
}

function skipSpaces(text: string, start: number): number {
  let at = start;
  while (text.charAt(at) === ' ') at += 1;
  return at;
}

function trimmedEnd(text: string, end: number): number {
  let at = end;
  while (at > 0 && text.charAt(at - 1) === ' ') at -= 1;
  return at;
}

/** Widths of parts, from the text as a whole: shaped alone, a part differs by little. */
function measure(text: string, { clusters }: ShapedLine): Ruler['measure'] {
  const before = new Float64Array(text.length + 1);
  for (const { start, advance } of clusters) before[start + 1] = (before[start + 1] as number) + advance;
  for (let at = 1; at < before.length; at += 1)
    before[at] = (before[at] as number) + (before[at - 1] as number);
  return (start, end) => (before[end] as number) - (before[start] as number);
}

/** More are longer than any name. */
const maxCharacters = 400;
/** No language or emoji has more in one grapheme; towers of accents do. It bounds the size of a glyph. */
const maxGrapheme = 16;
const replacement = '\ufffd';
const graphemes = new Intl.Segmenter('und');

/** Bounded, and with a visible replacement for everything that cannot be drawn. */
function drawable(untrusted: string): string {
  const characters = [...untrusted.slice(0, 2 * maxCharacters + 1).toWellFormed()];
  const isCut = untrusted.length > 2 * maxCharacters || characters.length > maxCharacters;
  const text = characters
    .slice(0, maxCharacters)
    .join('')
    .normalize('NFC')
    .replace(/[\t-\r ]+/g, ' ')
    .trim()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, replacement);
  const parts = Array.from(graphemes.segment(text), ({ segment }) => boundGrapheme(segment));
  return `${parts.join('')}${isCut ? ellipsis : ''}`;
}

function boundGrapheme(grapheme: string): string {
  if (grapheme.length <= maxGrapheme) return grapheme;
  const characters = [...grapheme];
  return characters.length <= maxGrapheme
    ? grapheme
    : `${characters.slice(0, maxGrapheme).join('')}${replacement}`;
}
