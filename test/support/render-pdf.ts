import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readBarcodes } from 'zxing-wasm/reader';
import '../codes/image/zxing.ts';
import { findProgram } from './find-program.ts';

const run = promisify(execFile);
const mmPerInch = 25.4;

export const canRenderPdf = () => findProgram('pdftoppm') !== undefined;
export const canCheckPdf = () => canRenderPdf() && findProgram('qpdf') !== undefined;

/** A page as a printer would print it: gray dots. */
export interface RenderedPage {
  width: number;
  height: number;
  dots: Buffer;
  dotsPerMm: number;
}

export interface FoundCode {
  text: string;
  /** The middle of the symbol, from the upper left corner of the page. */
  xMm: number;
  yMm: number;
  /** Of the symbol without its margin. */
  widthMm: number;
}

/** Renders every page with poppler, an implementation that is not ours. Half the resolution takes a quarter of the time. */
export async function renderPdf(pdf: Uint8Array, dotsPerInch = 300): Promise<RenderedPage[]> {
  return withFile(pdf, async (file, folder) => {
    const { stderr } = await run('pdftoppm', [
      '-r',
      String(dotsPerInch),
      '-gray',
      file,
      join(folder, 'page'),
    ]);
    expect(stderr, 'errors in the PDF').to.equal('');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.pgm')).toSorted();
    return Promise.all(names.map(async (name) => readPgm(await readFile(join(folder, name)), dotsPerInch)));
  });
}

export async function pdfText(pdf: Uint8Array): Promise<string> {
  return withFile(pdf, async (file) => (await run('pdftotext', [file, '-'])).stdout);
}

/** Text as people type it: pdftotext adds marks where the direction changes, and we show hyphens where words are split. */
export async function typedText(pdf: Uint8Array): Promise<string> {
  return (await pdfText(pdf)).replace(/[\u202a-\u202e]/g, '').replaceAll('\u00ad\n', '');
}

export interface EmbeddedFont {
  name: string;
  isEmbedded: boolean;
  isSubset: boolean;
  hasUnicode: boolean;
}

export async function pdfFonts(pdf: Uint8Array): Promise<EmbeddedFont[]> {
  const { stdout } = await withFile(pdf, (file) => run('pdffonts', [file]));
  const [, , ...rows] = stdout.trimEnd().split('\n');
  return rows.map((row) => {
    const [, name = '', isEmbedded, isSubset, hasUnicode] =
      /^(\S+) .* (yes|no) +(yes|no) +(yes|no) +\d+ +\d+$/.exec(row) ?? [];
    return {
      name,
      isEmbedded: isEmbedded === 'yes',
      isSubset: isSubset === 'yes',
      hasUnicode: hasUnicode === 'yes',
    };
  });
}

/** Checks the structure of the file with qpdf, a second implementation. */
export async function expectValidPdf(pdf: Uint8Array): Promise<void> {
  const { stdout } = await withFile(pdf, (file) => run('qpdf', ['--check', file]));
  expect(stdout).to.include('No syntax or stream encoding errors found');
}

/** The size of each page in millimeters, rounded to tenths. */
export async function pageSizesMm(pdf: Uint8Array): Promise<[number, number][]> {
  const { stdout } = await withFile(pdf, (file) => run('pdfinfo', ['-l', '1000', file]));
  const toMm = (points: string | undefined) => Math.round((Number(points) / 72) * mmPerInch * 10) / 10;
  return [...stdout.matchAll(/^Page +\d+ size: +([\d.]+) x ([\d.]+) pts/gm)].map(([, width, height]) => [
    toMm(width),
    toMm(height),
  ]);
}

/** Every code in this part of the page, in millimeters. */
export async function findCodes(
  page: RenderedPage,
  part = { xMm: 0, yMm: 0, widthMm: page.width / page.dotsPerMm, heightMm: page.height / page.dotsPerMm },
): Promise<FoundCode[]> {
  const { dotsPerMm } = page;
  const [left, top, width, height] = [part.xMm, part.yMm, part.widthMm, part.heightMm].map((value) =>
    Math.floor(value * dotsPerMm),
  ) as [number, number, number, number];
  const pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const gray = page.dots[(top + y) * page.width + left + x] ?? 255;
      pixels[y * width + x] = 0xff000000 + gray * 0x010101;
    }
  }
  const data = new Uint8ClampedArray(pixels.buffer);
  const image = { data, width, height, colorSpace: 'srgb' } as ImageData;
  const found = await readBarcodes(image, { formats: ['QRCode'], maxNumberOfSymbols: 255 });
  return found.flatMap(({ isValid, text, position }) => {
    if (!isValid) return [];
    const { topLeft, topRight, bottomLeft, bottomRight } = position;
    const corners = [topLeft, topRight, bottomLeft, bottomRight];
    const middle = (axis: 'x' | 'y') => corners.reduce((sum, corner) => sum + corner[axis], 0) / 4;
    return [
      {
        text,
        xMm: (left + middle('x')) / dotsPerMm,
        yMm: (top + middle('y')) / dotsPerMm,
        widthMm: Math.hypot(topRight.x - topLeft.x, topRight.y - topLeft.y) / dotsPerMm,
      },
    ];
  });
}

async function withFile<Value>(
  pdf: Uint8Array,
  use: (file: string, folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-pdf-'));
  try {
    const file = join(folder, 'file.pdf');
    await writeFile(file, pdf);
    return await use(file, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function readPgm(image: Buffer, dotsPerInch: number): RenderedPage {
  const head = /^P5\s(\d+) (\d+)\s255\s/.exec(image.toString('latin1', 0, 40));
  const [width, height] = [Number(head?.[1]), Number(head?.[2])];
  return {
    width,
    height,
    dots: image.subarray(image.length - width * height),
    dotsPerMm: dotsPerInch / mmPerInch,
  };
}
