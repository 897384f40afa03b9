import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { readPng } from '../image/pixels.ts';
import type { Print } from './design.ts';
import { toRgb } from './rasterize.ts';
import type { Gradient, Paint, Path, Scene } from './scene.ts';

/** Strings are written verbatim. */
type PdfValue = string | number | PdfValue[] | { [name: string]: PdfValue };

/** Plain data: pages are drawn in threads. */
export interface PdfPage {
  /** Left, bottom, right and top in points. */
  boxes: { MediaBox: number[]; BleedBox?: number[]; TrimBox?: number[] };
  /** Compressed operators. */
  content: Uint8Array;
  resources: PageResources;
}

interface PageResources {
  patterns: PdfValue[];
  /** By id. */
  logos: Map<string, PdfLogo>;
  /** The font of its text, which operators call `pdfFontName`. It follows the pages that use it. */
  font?: FontKey | undefined;
}

type FontKey = number;

/** A font of several pages, with exactly the glyphs that they use. Glyph 0 stands for characters that it lacks. */
export interface PdfFont {
  name: string;
  /** Compressed TrueType. */
  program: Uint8Array;
  /** Before compression. */
  programLength: number;
  /** By glyph. All lengths are in thousandths of the font size. */
  widths: number[];
  /** Compressed. Says which characters a glyph stands for. */
  toUnicode: Uint8Array;
  box: [xMin: number, yMin: number, xMax: number, yMax: number];
  ascender: number;
  descender: number;
  capHeight: number;
}

/** What a PDF consists of, in the order in which it is written. */
export type PdfPart = { page: PdfPage } | { font: PdfFont; key: FontKey };

/** Colors and alpha of a logo are separate images, each compressed. */
interface PdfLogo {
  width: number;
  height: number;
  colors: Uint8Array;
  alpha: Uint8Array;
}

export const pointsPerMm = 72 / 25.4;
export const pdfFontName = '/F';

/** Object numbers that every file has. */
const [catalog, pageTree, info] = [1, 2, 3];
const reference = (number: number) => `${number} 0 R`;

/** Writes a PDF page by page: the first bytes are sent while later pages are drawn. */
export async function* writePdf(
  parts: AsyncIterable<PdfPart> | Iterable<PdfPart>,
  title: string,
): AsyncGenerator<Buffer> {
  const offsets: number[] = [];
  const kids: string[] = [];
  const logos = new Map<string, number>();
  const fonts = new Map<FontKey, number>();
  let lastNumber = info;
  let length = 0;

  const track = (part: Buffer) => {
    length += part.length;
    return part;
  };
  /** Known before the font is: pages refer to it. */
  const fontNumber = (key: FontKey) => {
    const number = fonts.get(key) ?? (lastNumber += 1);
    fonts.set(key, number);
    return number;
  };
  const object = (number: number, value: PdfValue) => {
    offsets[number] = length;
    return track(Buffer.from(`${number} 0 obj\n${write(value)}\nendobj\n`, 'latin1'));
  };
  const stream = (number: number, data: Uint8Array, entries: Record<string, PdfValue> = {}) => {
    offsets[number] = length;
    const dictionary = write({ ...entries, Length: data.length, Filter: '/FlateDecode' });
    const head = Buffer.from(`${number} 0 obj\n${dictionary}\nstream\n`, 'latin1');
    return track(Buffer.concat([head, data, Buffer.from('\nendstream\nendobj\n')]));
  };

  // The second line says that the file has bytes above 127.
  yield track(Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1'));
  yield object(info, { Title: `(${title})`, Producer: '(Qrelay)' });
  for await (const part of parts) {
    if ('font' in part) {
      const { font, key } = part;
      const [program, toUnicode] = [(lastNumber += 1), (lastNumber += 1)];
      const [descriptor, descendant] = [(lastNumber += 1), (lastNumber += 1)];
      const name = `/${subsetTag(font.program)}+${font.name}`;
      yield stream(program, font.program, { Length1: font.programLength });
      yield stream(toUnicode, font.toUnicode);
      yield object(descriptor, fontDescriptor(font, name, program));
      yield object(descendant, descendantFont(font, name, descriptor));
      const composite = { Subtype: '/Type0', BaseFont: name, Encoding: '/Identity-H' };
      yield object(fontNumber(key), {
        Type: '/Font',
        ...composite,
        DescendantFonts: [reference(descendant)],
        ToUnicode: reference(toUnicode),
      });
      continue;
    }
    const { boxes, content, resources } = part.page;
    for (const [id, { width, height, colors, alpha }] of resources.logos) {
      if (logos.has(id)) continue;
      const [mask, image] = [(lastNumber += 1), (lastNumber += 1)];
      const common = {
        Type: '/XObject',
        Subtype: '/Image',
        Width: width,
        Height: height,
        BitsPerComponent: 8,
      };
      yield stream(mask, alpha, { ...common, ColorSpace: '/DeviceGray' });
      yield stream(image, colors, { ...common, ColorSpace: '/DeviceRGB', SMask: reference(mask) });
      logos.set(id, image);
    }
    const [contentNumber, page] = [(lastNumber += 1), (lastNumber += 1)];
    yield stream(contentNumber, content);
    yield object(page, {
      Type: '/Page',
      Parent: reference(pageTree),
      ...boxes,
      Contents: reference(contentNumber),
      Resources: {
        Pattern: Object.fromEntries(resources.patterns.map((pattern, index) => [`G${index}`, pattern])),
        XObject: Object.fromEntries(
          [...resources.logos.keys()].map((id) => [logoName(id), reference(logos.get(id) ?? 0)]),
        ),
        ...(resources.font !== undefined && {
          Font: { [pdfFontName.slice(1)]: reference(fontNumber(resources.font)) },
        }),
      },
    });
    kids.push(reference(page));
  }
  yield object(pageTree, { Type: '/Pages', Count: kids.length, Kids: kids });
  yield object(catalog, {
    Type: '/Catalog',
    Pages: reference(pageTree),
    // Sizes are millimeters, and labels must stay where the sheet has them.
    ViewerPreferences: { PrintScaling: '/None' },
  });
  const entries = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const trailer = write({ Size: offsets.length, Root: reference(catalog), Info: reference(info) });
  yield Buffer.from(
    `xref\n0 ${offsets.length}\n0000000000 65535 f \n${entries.join('')}trailer\n${trailer}\nstartxref\n${length}\n%%EOF\n`,
    'latin1',
  );
}

function fontDescriptor(font: PdfFont, name: string, program: number): PdfValue {
  return {
    Type: '/FontDescriptor',
    FontName: name,
    // Its characters are not those of a Latin alphabet alone.
    Flags: 4,
    FontBBox: font.box,
    ItalicAngle: 0,
    Ascent: font.ascender,
    Descent: font.descender,
    CapHeight: font.capHeight,
    StemV: 80,
    FontFile2: reference(program),
  };
}

function descendantFont(font: PdfFont, name: string, descriptor: number): PdfValue {
  return {
    Type: '/Font',
    Subtype: '/CIDFontType2',
    BaseFont: name,
    CIDSystemInfo: { Registry: '(Adobe)', Ordering: '(Identity)', Supplement: 0 },
    CIDToGIDMap: '/Identity',
    W: [0, font.widths],
    FontDescriptor: reference(descriptor),
  };
}

/** Six letters that differ between subsets of one font. */
function subsetTag(program: Uint8Array): string {
  const digest = createHash('sha256').update(program).digest();
  return String.fromCharCode(...digest.subarray(0, 6).map((byte) => 65 + (byte % 26)));
}

function write(value: PdfValue): string {
  if (typeof value === 'number') return pdfNumber(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(write).join(' ')}]`;
  const entries = Object.entries(value).map(([name, entry]) => `/${name} ${write(entry)}`);
  return `<< ${entries.join(' ')} >>`;
}

/** PDF has no exponents. */
export function pdfNumber(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}

export const pdfNumbers = (...values: number[]) => values.map(pdfNumber).join(' ');

export const newResources = (): PageResources => ({ patterns: [], logos: new Map() });

/** From modules, with y pointing down, to points with y pointing up. */
interface Placement {
  scale: number;
  left: number;
  top: number;
}

/** Returns the operators that draw a scene, and adds the resources that they use. */
export function drawScene(
  { width, height, background, shapes, logo }: Scene,
  { scale, left, top }: Placement,
  { patterns, logos }: PageResources,
): string {
  const matrix = [scale, 0, 0, -scale, left, top];
  const usePaint = (paint: Paint) => {
    if (typeof paint === 'string') return `${colorOperands(paint)} rg`;
    patterns.push({ Type: '/Pattern', PatternType: 2, Matrix: matrix, Shading: shadingOf(paint) });
    return `/Pattern cs /G${patterns.length - 1} scn`;
  };
  // Labels often share a logo.
  if (logo && !logos.has(logo.id)) logos.set(logo.id, toPdfLogo(logo.png));
  return [
    `q ${pdfNumbers(...matrix)} cm`,
    ...(background ? [usePaint(background), `0 0 ${pdfNumbers(width, height)} re f`] : []),
    ...shapes.map(({ path, paint }) => `${usePaint(paint)}\n${pathOperators(path)}f`),
    // The first row of an image is at its top.
    ...(logo
      ? [
          `q ${pdfNumbers(logo.width, 0, 0, -logo.height, logo.x, logo.y + logo.height)} cm /${logoName(logo.id)} Do Q`,
        ]
      : []),
    'Q',
  ].join('\n');
}

const logoName = (id: string) => `L${id}`;

function toPdfLogo(png: Uint8Array): PdfLogo {
  const { width, height, data } = readPng(png);
  const colors = Buffer.alloc(3 * width * height);
  const alpha = Buffer.alloc(width * height);
  for (let pixel = 0; pixel < alpha.length; pixel += 1) {
    colors.set(data.subarray(4 * pixel, 4 * pixel + 3), 3 * pixel);
    alpha[pixel] = data[4 * pixel + 3] as number;
  }
  return { width, height, colors: compress(colors), alpha: compress(alpha) };
}

/** Copied, because a pooled Buffer cannot be sent from a thread. */
export const compress = (bytes: Buffer) => new Uint8Array(deflateSync(bytes));

function shadingOf({ kind, from, to, x1, y1, x2, y2 }: Gradient): PdfValue {
  return {
    ShadingType: kind === 'linear' ? 2 : 3,
    ColorSpace: '/DeviceRGB',
    Coords: kind === 'linear' ? [x1, y1, x2, y2] : [x1, y1, 0, x1, y1, Math.hypot(x2 - x1, y2 - y1)],
    Extend: ['true', 'true'],
    Function: {
      FunctionType: 2,
      Domain: [0, 1],
      N: 1,
      C0: `[${colorOperands(from)}]`,
      C1: `[${colorOperands(to)}]`,
    },
  };
}

function colorOperands(color: string): string {
  return pdfNumbers(...toRgb(color).map((channel) => channel / 255));
}

const operators = { M: 'm', L: 'l', C: 'c', Z: 'h' } as const;

export function pathOperators(path: Path): string {
  return path
    .map(([kind, ...numbers]) => `${[...numbers.map(pdfNumber), operators[kind]].join(' ')}\n`)
    .join('');
}

/** Crop marks start this far from the trimmed picture, or at its bleed. */
const markGapMm = 2;
const markLengthMm = 5;
const markWidthPoints = 0.25;

/** One picture per page, with the boxes that printers trim by. */
export async function sceneToPdf(
  { background, ...scene }: Scene,
  { widthMm, bleedMm, cropMarks }: Print,
): Promise<Buffer> {
  const width = widthMm * pointsPerMm;
  const height = (width * scene.height) / scene.width;
  const bleed = bleedMm * pointsPerMm;
  const gap = Math.max(bleed, markGapMm * pointsPerMm);
  const margin = cropMarks ? gap + markLengthMm * pointsPerMm : bleed;
  const box = (around: number) => [
    margin - around,
    margin - around,
    margin + width + around,
    margin + height + around,
  ];
  const resources = newResources();
  const start = margin - bleed;
  const content = [
    ...(background
      ? [
          `${colorOperands(background)} rg`,
          `${pdfNumbers(start, start, width + 2 * bleed, height + 2 * bleed)} re f`,
        ]
      : []),
    ...(cropMarks ? [drawCropMarks(margin, width, height, gap)] : []),
    drawScene(scene, { scale: width / scene.width, left: margin, top: margin + height }, resources),
  ];
  const page: PdfPage = {
    boxes: { MediaBox: box(margin), BleedBox: box(bleed), TrimBox: box(0) },
    content: compress(Buffer.from(content.join('\n'), 'latin1')),
    resources,
  };
  const parts: Buffer[] = [];
  for await (const part of writePdf([{ page }], 'QR code')) parts.push(part);
  return Buffer.concat(parts);
}

/** Two lines at each corner, aligned with the edges to cut along. */
function drawCropMarks(margin: number, width: number, height: number, gap: number): string {
  const sides = (length: number) => [
    { edge: margin, out: -1 },
    { edge: margin + length, out: 1 },
  ];
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    `${pdfNumbers(x1, y1)} m ${pdfNumbers(x2, y2)} l`;
  const lines = sides(width).flatMap((x) =>
    sides(height).flatMap((y) => [
      line(x.edge + x.out * gap, y.edge, x.edge + x.out * margin, y.edge),
      line(x.edge, y.edge + y.out * gap, x.edge, y.edge + y.out * margin),
    ]),
  );
  return [`${pdfNumber(markWidthPoints)} w`, ...lines, 'S'].join('\n');
}
