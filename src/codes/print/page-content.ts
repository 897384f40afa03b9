import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { Picture } from '../image/draw.ts';
import { type Drawing, drawCode, type Gradient, type Paint, type Path } from './drawing.ts';
import { type Box, fontSizePoints, type LabelLayout, lineHeightMm } from './label-layout.ts';
import { fontName, fontReference, logoName, type PdfPage, pdfNumber, pointsPerMm } from './pdf-writer.ts';
import { type PdfLogo, showLogo, toPdfLogo } from '../design/logo-pdf.ts';
import { findUndrawable, outlineText } from '../design/text-outline.ts';
import { printable, showText, textWidth } from './text.ts';
import { wrapText } from './wrap.ts';

export interface PageRequest {
  widthMm: number;
  heightMm: number;
  layout: LabelLayout;
  labels: PageLabel[];
}

export interface PageLabel {
  picture: Picture;
  /** Shown instead of a name that the font cannot show. */
  token: string;
  name: string;
  /** The upper left corner of the label. */
  xMm: number;
  yMm: number;
}

const compress = promisify(deflate);
/** From the middle of a line to its baseline, of the font size. */
const baseline = 0.35;

/** The vectors of one page. */
export async function drawPage({ widthMm, heightMm, layout, labels }: PageRequest): Promise<PdfPage> {
  const patterns: string[] = [];
  const logos = new Map<string, PdfLogo>();
  const operators: string[] = [];
  for (const { picture, name, token, xMm, yMm } of labels) {
    const at = (box: Box) => ({ ...box, xMm: box.xMm + xMm, yMm: box.yMm + yMm });
    const drawing = await drawCode(picture);
    const { logo } = drawing;
    // Many labels have the same one.
    if (logo && !logos.has(logo.id)) logos.set(logo.id, toPdfLogo(logo.png));
    operators.push(placeDrawing(drawing, at(layout.code), heightMm, patterns));
    if (layout.name)
      operators.push(
        writeName(lettersOf(name, token), { ...layout.name, box: at(layout.name.box) }, heightMm),
      );
  }
  const content = await compress(Buffer.from(operators.join('\n'), 'latin1'));
  const patternEntries = patterns.map((pattern, index) => `/G${index} ${pattern}`).join(' ');
  const resources = `/Font << ${fontName} ${fontReference} >> /Pattern << ${patternEntries} >>`;
  return { widthMm, heightMm, content, resources, logos };
}

/** As large as the box allows, in its middle. */
function placeDrawing(drawing: Drawing, box: Box, pageHeightMm: number, patterns: string[]): string {
  const { width, height, background, shapes, logo } = drawing;
  const scale = Math.min(box.widthMm / width, box.heightMm / height) * pointsPerMm;
  const left = (box.xMm + box.widthMm / 2) * pointsPerMm - (scale * width) / 2;
  const top = (pageHeightMm - box.yMm - box.heightMm / 2) * pointsPerMm + (scale * height) / 2;
  // From the unit of the drawing, with y pointing down, to points with y pointing up.
  const matrix = [scale, 0, 0, -scale, left, top].map(pdfNumber).join(' ');
  const usePaint = (paint: Paint) => {
    if (typeof paint === 'string') return `${colorOperands(paint)} rg`;
    patterns.push(`<< /Type /Pattern /PatternType 2 /Matrix [${matrix}] /Shading ${shadingOf(paint)} >>`);
    return `/Pattern cs /G${patterns.length - 1} scn`;
  };
  return [
    `q ${matrix} cm`,
    ...(background ? [usePaint(background), `0 0 ${pdfNumber(width)} ${pdfNumber(height)} re f`] : []),
    ...shapes.map(({ path, paint }) => `${usePaint(paint)}\n${pathOperators(path)}f`),
    ...(logo ? [showLogo(logo, logoName(logo.id))] : []),
    'Q',
  ].join('\n');
}

function shadingOf({ kind, from, to, x1, y1, x2, y2 }: Gradient): string {
  const radius = Math.hypot(x2 - x1, y2 - y1);
  const coordinates = kind === 'linear' ? [x1, y1, x2, y2] : [x1, y1, 0, x1, y1, radius];
  const colors = `/FunctionType 2 /Domain [0 1] /N 1 /C0 [${colorOperands(from)}] /C1 [${colorOperands(to)}]`;
  const type = kind === 'linear' ? 2 : 3;
  return `<< /ShadingType ${type} /ColorSpace /DeviceRGB /Coords [${coordinates.map(pdfNumber).join(' ')}] /Extend [true true] /Function << ${colors} >> >>`;
}

function colorOperands(color: string): string {
  return [1, 3, 5].map((at) => pdfNumber(Number.parseInt(color.slice(at, at + 2), 16) / 255)).join(' ');
}

const pathOperator = { M: 'm', L: 'l', C: 'c', Z: 'h' } as const;

function pathOperators(path: Path): string {
  return path
    .map(([kind, ...numbers]) => `${[...numbers.map(pdfNumber), pathOperator[kind]].join(' ')}\n`)
    .join('');
}

interface Letters {
  text: string;
  /** At a font size of 1. */
  width(text: string): number;
  show(text: string, x: number, y: number, size: number): string;
}

/** Helvetica where it has all letters, else outlines of our own fonts, else the token. */
function lettersOf(name: string, token: string): Letters {
  const latin = { width: textWidth, show: showText };
  const shown = printable(name);
  if (shown === name || (shown !== undefined && findUndrawable(name) !== undefined))
    return { ...latin, text: shown };
  if (findUndrawable(name) !== undefined) return { ...latin, text: token };
  return { text: name, width: (text) => outlineText(text).width, show: showOutlines };
}

function showOutlines(text: string, x: number, y: number, size: number): string {
  const matrix = [size, 0, 0, -size, x, y].map(pdfNumber).join(' ');
  return `q ${matrix} cm\n${pathOperators(outlineText(text).path)}f Q`;
}

function writeName(
  { text, width: widthOf, show }: Letters,
  { box, align, maxLines }: NonNullable<LabelLayout['name']>,
  pageHeightMm: number,
): string {
  const width = (box.widthMm * pointsPerMm) / fontSizePoints;
  const lines = wrapText(text, width, maxLines, widthOf);
  // Below a code it starts at the top, beside one it is centered.
  const usedMm = lines.length * lineHeightMm;
  const topMm = align === 'center' ? box.yMm : box.yMm + (box.heightMm - usedMm) / 2;
  const written = lines.map((line, index) => {
    const middle = (pageHeightMm - topMm - (index + 0.5) * lineHeightMm) * pointsPerMm;
    const spare = align === 'center' ? ((width - widthOf(line)) * fontSizePoints) / 2 : 0;
    return show(line, box.xMm * pointsPerMm + spare, middle - baseline * fontSizePoints, fontSizePoints);
  });
  return ['0 g', ...written].join('\n');
}
