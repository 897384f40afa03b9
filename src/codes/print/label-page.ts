import { composeScene } from '../design/compose.ts';
import { defaultDesign } from '../design/design.ts';
import {
  compress,
  drawScene,
  helvetica,
  newResources,
  pathOperators,
  pdfNumber,
  pdfNumbers,
  type PdfPage,
  pointsPerMm,
} from '../design/pdf.ts';
import type { Scene } from '../design/scene.ts';
import { findUndrawable, outlineText } from '../design/text-outline.ts';
import type { Picture } from '../image/draw.ts';
import { type Box, fontSizePoints, type LabelLayout, lineHeightMm } from './labels.ts';

export interface PageRequest {
  widthMm: number;
  heightMm: number;
  layout: LabelLayout;
  labels: PageLabel[];
}

interface PageLabel {
  picture: Picture;
  /** Shown instead of a name that the font cannot show. */
  token: string;
  name: string;
  /** The upper left corner of the label. */
  xMm: number;
  yMm: number;
}

/** Distance from the middle of a line to its baseline, relative to the font size. */
const baseline = 0.35;

export async function drawPage({ widthMm, heightMm, layout, labels }: PageRequest): Promise<PdfPage> {
  const resources = { ...newResources(), usesFont: layout.name !== undefined };
  const operators: string[] = [];
  for (const { picture, name, token, xMm, yMm } of labels) {
    const at = (box: Box) => ({ ...box, xMm: box.xMm + xMm, yMm: box.yMm + yMm });
    const scene = await composeScene(picture, picture.design ?? defaultDesign);
    operators.push(drawScene(scene, fitInto(at(layout.code), scene, heightMm), resources));
    if (layout.name)
      operators.push(
        writeName(lettersOf(name, token), { ...layout.name, box: at(layout.name.box) }, heightMm),
      );
  }
  return {
    boxes: { MediaBox: [0, 0, widthMm * pointsPerMm, heightMm * pointsPerMm] },
    content: compress(Buffer.from(operators.join('\n'), 'latin1')),
    resources,
  };
}

/** Centered and as large as the box allows. */
function fitInto({ xMm, yMm, widthMm, heightMm }: Box, { width, height }: Scene, pageHeightMm: number) {
  const scale = Math.min(widthMm / width, heightMm / height) * pointsPerMm;
  const left = (xMm + widthMm / 2) * pointsPerMm - (scale * width) / 2;
  const top = (pageHeightMm - yMm - heightMm / 2) * pointsPerMm + (scale * height) / 2;
  return { scale, left, top };
}

interface Letters {
  text: string;
  /** At a font size of 1. */
  width(text: string): number;
  show(text: string, x: number, y: number, size: number): string;
}

/** Helvetica if it has all letters, then outlines of our fonts, then the token. */
function lettersOf(name: string, token: string): Letters {
  const latin = { width: textWidth, show: showText };
  const shown = printable(name);
  if (shown === name || (shown !== undefined && findUndrawable(name) !== undefined))
    return { ...latin, text: shown };
  if (findUndrawable(name) !== undefined) return { ...latin, text: token };
  return { text: name, width: (text) => outlineText(text).width, show: showOutlines };
}

function showOutlines(text: string, x: number, y: number, size: number): string {
  return `q ${pdfNumbers(size, 0, 0, -size, x, y)} cm\n${pathOperators(outlineText(text).path)}f Q`;
}

function writeName(
  { text, width: widthOf, show }: Letters,
  { box, align, maxLines }: NonNullable<LabelLayout['name']>,
  pageHeightMm: number,
): string {
  const width = (box.widthMm * pointsPerMm) / fontSizePoints;
  const lines = wrapText(text, width, maxLines, widthOf);
  // Starts at the top below a code, and is centered beside one.
  const usedMm = lines.length * lineHeightMm;
  const topMm = align === 'center' ? box.yMm : box.yMm + (box.heightMm - usedMm) / 2;
  const written = lines.map((line, index) => {
    const middle = (pageHeightMm - topMm - (index + 0.5) * lineHeightMm) * pointsPerMm;
    const spare = align === 'center' ? ((width - widthOf(line)) * fontSizePoints) / 2 : 0;
    return show(line, box.xMm * pointsPerMm + spare, middle - baseline * fontSizePoints, fontSizePoints);
  });
  return ['0 g', ...written].join('\n');
}

/** Text in Helvetica, which every PDF viewer has. Sizes and positions are in points. */

/** The widths of the characters from the space to the tilde, in thousandths of the font size. */
const asciiWidths = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
  556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
  500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
  556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
  278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/** An upper bound for all other characters. */
const otherWidth = 1000;

/** WinAnsiEncoding from 0x80 on, where it differs from Latin-1. */
const windows1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

/** Letters without a Unicode decomposition. */
const plainLetters: Record<string, string> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ħ: 'H',
  ħ: 'h',
  ı: 'i',
  Ŧ: 'T',
  ŧ: 't',
  '\u2011': '-',
};

/** Replaces letters that the font lacks by plain ones. Undefined if too much is lost. */
function printable(text: string): string | undefined {
  const characters = [...text.normalize('NFC')].map((character) => {
    if (byteOf(character) !== undefined) return character;
    const base = plainLetters[character] ?? character.normalize('NFD').charAt(0);
    return byteOf(base) === undefined ? '' : base;
  });
  const lost = characters.filter((character) => character === '').length;
  const shown = characters.join('').replace(/\s+/g, ' ').trim();
  return shown === '' || lost * 2 > characters.length ? undefined : shown;
}

/** At a font size of 1. */
function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width / 1_000;
}

/** Operators that write the text from the left end of its baseline, where y points up. */
function showText(text: string, x: number, y: number, size: number): string {
  const hex = [...text]
    .map((character) => (byteOf(character) ?? 0x3f).toString(16).padStart(2, '0'))
    .join('');
  return `BT ${helvetica} ${pdfNumber(size)} Tf ${pdfNumbers(x, y)} Td <${hex}> Tj ET`;
}

function characterWidth(character: string): number {
  const base = character.normalize('NFD').charCodeAt(0);
  return asciiWidths[base - 0x20] ?? otherWidth;
}

function byteOf(character: string): number | undefined {
  const point = character.codePointAt(0) ?? 0;
  if ((point >= 0x20 && point < 0x7f) || (point >= 0xa0 && point <= 0xff)) return point;
  const index = character === '\0' ? -1 : windows1252.indexOf(character);
  return index < 0 ? undefined : 0x80 + index;
}

type Measure = (text: string) => number;

/** Wraps the text, between words if possible. A truncated last line ends in an ellipsis. */
function wrapText(text: string, width: number, maxLines: number, measure: Measure): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < maxLines) {
    const isLast = lines.length === maxLines - 1;
    const line =
      measure(rest) <= width
        ? rest
        : isLast
          ? shorten(rest, width, measure)
          : firstLine(rest, width, measure);
    lines.push(line.trim());
    rest = isLast ? '' : rest.slice(line.length).trimStart();
  }
  return lines;
}

function firstLine(text: string, width: number, measure: Measure): string {
  const fitting = fitCharacters(text, width, measure);
  const space = text.charAt(fitting.length) === ' ' ? fitting.length : fitting.lastIndexOf(' ');
  return space > 0 ? text.slice(0, space) : fitting;
}

function shorten(text: string, width: number, measure: Measure): string {
  return `${fitCharacters(text, width - measure('…'), measure).trimEnd()}…`;
}

/** Returns at least one character, so that wrapping ends. */
function fitCharacters(text: string, width: number, measure: Measure): string {
  let fitting = '';
  let used = 0;
  for (const character of text) {
    used += measure(character);
    if (used > width && fitting !== '') break;
    fitting += character;
  }
  return fitting;
}
