import { logoDictionary, showLogo, toPdfLogo } from './logo-pdf.ts';
import { createPdfFile, type PdfReference, type PdfValue, writeNumber } from './pdf-file.ts';
import type { Print } from './print.ts';
import { toRgb } from './rasterize.ts';
import type { Gradient, Paint, Path, Scene, SceneLogo } from './scene.ts';

const pointsPerMm = 72 / 25.4;
/** Crop marks start this far from the trimmed picture, or at its bleed. */
const markGapMm = 2;
const markLengthMm = 5;
const markWidthPoints = 0.25;

/** One page of vectors, with the boxes that printers cut by. */
export function sceneToPdf(scene: Scene, { widthMm, bleedMm, cropMarks }: Print): Buffer {
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
  const scale = width / scene.width;
  // From modules with y pointing down to points with y pointing up.
  const matrix = [scale, 0, 0, -scale, margin, margin + height];

  const pdf = createPdfFile();
  const patterns: Record<string, PdfReference> = {};
  const usePaint = (paint: Paint) => {
    if (typeof paint === 'string') return `${colorOperands(paint)} rg`;
    const name = `G${Object.keys(patterns).length}`;
    patterns[name] = pdf.add({ Type: '/Pattern', PatternType: 2, Matrix: matrix, Shading: shadingOf(paint) });
    return `/Pattern cs /${name} scn`;
  };
  const content = [
    ...(scene.background ? [usePaint(scene.background), `${backgroundRectangle(box(bleed))} re f`] : []),
    ...(cropMarks ? [drawCropMarks(margin, width, height, gap)] : []),
    `${matrix.map(writeNumber).join(' ')} cm`,
    ...scene.shapes.map(({ path, paint }) => `${usePaint(paint)}\n${pathOperators(path)}f`),
    ...(scene.logo ? [showLogo(scene.logo, 'L')] : []),
  ];
  const logo = scene.logo && addLogo(pdf, scene.logo);
  const contents = pdf.addStream(Buffer.from(content.join('\n'), 'latin1'));
  // The pages and their page refer to each other: the page is the next object but one.
  const page = (parent: PdfReference): PdfValue => ({
    Type: '/Page',
    Parent: parent,
    MediaBox: box(margin),
    BleedBox: box(bleed),
    TrimBox: box(0),
    Contents: contents,
    Resources: { Pattern: patterns, ...(logo && { XObject: { L: logo } }) },
  });
  const pagesNumber = Number.parseInt(contents, 10) + 1;
  const pages = pdf.add({ Type: '/Pages', Count: 1, Kids: [`${pagesNumber + 1} 0 R`] });
  pdf.add(page(pages));
  const root = pdf.add({ Type: '/Catalog', Pages: pages });
  return pdf.finish(root, pdf.add({ Title: '(QR code)', Producer: '(Qrelay)' }));
}

function addLogo(pdf: ReturnType<typeof createPdfFile>, { png }: SceneLogo): PdfReference {
  const logo = toPdfLogo(png);
  const mask = pdf.addCompressed(logo.alpha, logoDictionary(logo));
  return pdf.addCompressed(logo.colors, logoDictionary(logo, mask));
}

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
  return toRgb(color)
    .map((channel) => writeNumber(channel / 255))
    .join(' ');
}

const operators = { M: 'm', L: 'l', C: 'c', Z: 'h' } as const;

function pathOperators(path: Path): string {
  return path
    .map(([kind, ...numbers]) => `${[...numbers.map(writeNumber), operators[kind]].join(' ')}\n`)
    .join('');
}

function backgroundRectangle([left = 0, bottom = 0, right = 0, top = 0]: number[]): string {
  return [left, bottom, right - left, top - bottom].map(writeNumber).join(' ');
}

/** Two lines at each corner, in line with the edges to cut along. */
function drawCropMarks(margin: number, width: number, height: number, gap: number): string {
  const sides = (length: number) => [
    { edge: margin, out: -1 },
    { edge: margin + length, out: 1 },
  ];
  const line = (...points: number[]) => {
    const [x1, y1, x2, y2] = points.map(writeNumber);
    return `${x1} ${y1} m ${x2} ${y2} l`;
  };
  const lines = sides(width).flatMap((x) =>
    sides(height).flatMap((y) => [
      line(x.edge + x.out * gap, y.edge, x.edge + x.out * margin, y.edge),
      line(x.edge, y.edge + y.out * gap, x.edge, y.edge + y.out * margin),
    ]),
  );
  return [`${writeNumber(markWidthPoints)} w`, ...lines, 'S'].join('\n');
}
