import { DrawFuncs, type Font } from 'harfbuzzjs';
import { compress, type PdfFont, pdfFontName, pdfNumber, pdfNumbers } from '../design/pdf.ts';
import { loadFace, loadMainFace, unitsPerEm } from './font-family.ts';
import type { PlacedGlyph, ShapedCluster, ShapedLine } from './shape-text.ts';
import { type Outline, type OutlinePoint, writeTrueType } from './truetype.ts';

/**
 * A glyph of the font that is embedded in a document: a whole cluster. Its number is its position, from 1. What looks the
 * same but stands for other characters is another glyph, so that each number tells its characters.
 */
export interface DocumentGlyph {
  text: string;
  width: number;
  /** None for a character that is drawn with the one before it. */
  parts: PlacedGlyph[];
}

/** Numbers the glyphs of a document. Plain data goes in and out, because pages are drawn in threads. */
export interface GlyphTable {
  numberOf(glyph: DocumentGlyph): number;
  /** Those that were not known before. */
  added: DocumentGlyph[];
}

export function createGlyphTable(known: DocumentGlyph[]): GlyphTable {
  const keyOf = ({ text, width, parts }: DocumentGlyph) =>
    `${text} ${width} ${parts.map(({ face, glyph, x, y }) => `${face} ${glyph} ${x} ${y}`).join()}`;
  const numbers = new Map(known.map((glyph, index) => [keyOf(glyph), index + 1]));
  const added: DocumentGlyph[] = [];
  return {
    added,
    numberOf(glyph) {
      const key = keyOf(glyph);
      const number = numbers.get(key) ?? numbers.size + 1;
      if (number > numbers.size) {
        numbers.set(key, number);
        added.push(glyph);
      }
      return number;
    },
  };
}

/** Operators that write a line from the left end of its baseline. Positions and size are in points. */
export function showLine(
  { clusters }: ShapedLine,
  { x, y, size }: { x: number; y: number; size: number },
  table: GlyphTable,
): string {
  const shown = clusters.map((cluster) => {
    const codes = documentGlyphs(cluster).map((glyph) => hex16(table.numberOf(glyph)));
    const kerning = cluster.advance - cluster.width;
    return `<${codes.join('')}>${kerning === 0 ? '' : pdfNumber(-kerning)}`;
  });
  const codes = shown.join('').replaceAll('><', '');
  return `BT ${pdfFontName} ${pdfNumber(size)} Tf ${pdfNumbers(x, y)} Td [${codes}] TJ ET`;
}

/**
 * Programs that read text from right to left also reverse the characters of a glyph that stands for several. There, the
 * first character gets the outlines, and the others follow, invisible and without a width.
 */
function documentGlyphs({ text, width, glyphs, isRightToLeft }: ShapedCluster): DocumentGlyph[] {
  if (!isRightToLeft) return [{ text, width, parts: glyphs }];
  const [first = '', ...others] = text;
  return [
    ...others.toReversed().map((character) => ({ text: character, width: 0, parts: [] })),
    { text: first, width, parts: glyphs },
  ];
}

/** The font that a document embeds: all glyphs that it uses, from whichever faces, as one TrueType font. */
export async function composeFont(glyphs: DocumentGlyph[]): Promise<PdfFont> {
  const main = await loadMainFace();
  const { ascender, descender } = main.font.hExtents();
  const missing = { outline: outlineOf(main.font, 0), advance: main.font.glyphHAdvance(0) };
  const shapes = [missing];
  for (const { parts, width } of glyphs)
    shapes.push({ outline: await composeOutline(parts), advance: width });
  const { file, box } = writeTrueType(shapes, { unitsPerEm, ascender, descender });
  return {
    name: 'NotoSans-Regular',
    program: compress(file),
    programLength: file.length,
    widths: shapes.map(({ advance }) => advance),
    toUnicode: compress(Buffer.from(characterMap(glyphs.map(({ text }) => text)))),
    box: [box.xMin, box.yMin, box.xMax, box.yMax],
    ascender,
    descender,
    capHeight,
  };
}

async function composeOutline(parts: PlacedGlyph[]): Promise<Outline> {
  const outline: Outline = [];
  for (const { face, glyph, x, y } of parts) {
    const { font } = await loadFace(face);
    for (const contour of outlineOf(font, glyph))
      outline.push(contour.map((point) => ({ ...point, x: point.x + x, y: point.y + y })));
  }
  return outline;
}

const capHeight = 714;

const drawing = new DrawFuncs();
let contours: Outline = [];
const add = (x: number, y: number, isOnCurve: boolean) => contours.at(-1)?.push({ x, y, isOnCurve });
drawing.setMoveToFunc((x, y) => {
  contours.push([{ x, y, isOnCurve: true }]);
});
drawing.setLineToFunc((x, y) => {
  add(x, y, true);
});
drawing.setQuadraticToFunc((controlX, controlY, x, y) => {
  add(controlX, controlY, false);
  add(x, y, true);
});

function outlineOf(font: Font, glyph: number): Outline {
  contours = [];
  font.drawGlyph(glyph, drawing);
  return contours.map((contour) => withoutImplied(closed(contour)));
}

const isSame = (one: OutlinePoint, other: OutlinePoint) =>
  Math.abs(one.x - other.x) < 0.01 && Math.abs(one.y - other.y) < 0.01;

/** TrueType closes contours itself. */
function closed(contour: OutlinePoint[]): OutlinePoint[] {
  const [first, last] = [contour[0], contour.at(-1)];
  return contour.length > 1 && first && last && last.isOnCurve && isSame(first, last)
    ? contour.slice(0, -1)
    : contour;
}

/** A point in the middle of two control points is implied. */
function withoutImplied(contour: OutlinePoint[]): OutlinePoint[] {
  return contour.filter((point, index) => {
    const before = contour.at(index - 1) as OutlinePoint;
    const after = contour[(index + 1) % contour.length] as OutlinePoint;
    if (!point.isOnCurve || before.isOnCurve || after.isOnCurve) return true;
    return !isSame(point, { ...point, x: (before.x + after.x) / 2, y: (before.y + after.y) / 2 });
  });
}

/** At most a hundred entries are allowed in one block. */
const blockLength = 100;

/** Tells which characters the glyphs stand for, so that text can be searched and copied. */
function characterMap(texts: string[]): string {
  const entries = texts.map((text, index) => `<${hex16(index + 1)}> <${utf16(text)}>`);
  const blocks: string[] = [];
  for (let at = 0; at < entries.length; at += blockLength) {
    const block = entries.slice(at, at + blockLength);
    blocks.push(`${block.length} beginbfchar`, ...block, 'endbfchar');
  }
  return [
    '/CIDInit /ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange',
    '<0000> <FFFF>',
    'endcodespacerange',
    ...blocks,
    'endcmap',
    'CMapName currentdict /CMap defineresource pop',
    'end',
    'end',
  ].join('\n');
}

const hex16 = (value: number) => value.toString(16).padStart(4, '0');

const utf16 = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
