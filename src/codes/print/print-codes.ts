import { type Caller, createFairScheduler } from '../../runtime/fair-scheduler.ts';
import type { Picture } from '../image/draw.ts';
import type { QrCode } from '../qr-code.ts';
import { shareUrl } from '../share-token.ts';
import { labelCorner, type LabelOptions, labelsPerSheet, layOutLabel, papers } from './labels.ts';
import { type PdfFont, type PdfPart, writePdf } from '../design/pdf.ts';
import type { Log } from '../../telemetry/log.ts';
import { openThread, type Thread } from '../../runtime/thread.ts';
import type { DocumentGlyph } from '../text/pdf-text.ts';
import type { DrawnPage, PageRequest } from './label-page.ts';
import { csvLine } from '../../formats/csv.ts';
import type { Images } from '../image/image-thread.ts';
import type { DrawRequest } from '../image/image-thread-main.ts';
import type { WholeFile } from '../../formats/zip.ts';
import { defaultDesign } from '../design/design.ts';
import { frameLayouts } from '../design/compose.ts';
import { countModules } from '../image/symbol.ts';

export const maxPrintedCodes = 1_000;

export type PrintedCode = Pick<QrCode, 'name' | 'shareToken'> & { picture: Picture };

export function pictureOf(code: QrCode, baseUrl: string): Picture {
  const { errorCorrection, size, foregroundColor, backgroundColor } = code;
  return {
    text: shareUrl(baseUrl, code.shareToken),
    errorCorrection,
    size,
    foregroundColor,
    backgroundColor,
  };
}

/** Streams sheets of labels as PDF. Pages are drawn as they are read. */
export function printLabels(
  printer: Printer,
  caller: Caller,
  codes: PrintedCode[],
  options: LabelOptions,
): AsyncGenerator<Buffer> {
  return writePdf(labelSheets(printer, caller, codes, options), 'QR codes');
}

/**
 * Pages share a font until it has this many glyphs, which only hundreds of Chinese names have. It bounds what is sent to
 * the thread with each page.
 */
const maxFontGlyphs = 4_000;

async function* labelSheets(
  printer: Printer,
  caller: Caller,
  codes: PrintedCode[],
  options: LabelOptions,
): AsyncGenerator<PdfPart> {
  const { sheet, start, namePosition } = options;
  const layout = layOutLabel(sheet, namePosition);
  const perSheet = labelsPerSheet(sheet);
  let font = { key: 0, glyphs: [] as DocumentGlyph[] };
  const writeFont = async () => ({ font: await printer.composeFont(caller, font.glyphs), key: font.key });
  for (let at = 0, first = start - 1; at < codes.length; at += perSheet - first, first = 0) {
    if (font.glyphs.length >= maxFontGlyphs) {
      yield await writeFont();
      font = { key: font.key + 1, glyphs: [] };
    }
    const labels = codes
      .slice(at, at + perSheet - first)
      .map(({ name, picture }, index) => ({ picture, name, ...labelCorner(sheet, first + index) }));
    const request = { ...papers[sheet.paper], layout, labels, font };
    const { page, addedGlyphs } = await printer.drawPage(caller, request);
    font.glyphs.push(...addedGlyphs);
    yield { page };
  }
  if (layout.name) yield await writeFont();
}

/** How many codes are too small on their labels for a phone. */
export function countTooSmall(codes: PrintedCode[], { sheet, namePosition }: LabelOptions): number {
  const { code } = layOutLabel(sheet, namePosition);
  return codes.filter(({ picture }) => {
    const { width, height } = pictureModules(picture);
    return Math.min(code.widthMm / width, code.heightMm / height) < minModuleMm;
  }).length;
}

export interface Printer {
  /** Rejects if too many calls wait or the thread has exited. */
  drawPage(caller: Caller, request: PageRequest): Promise<DrawnPage>;
  composeFont(caller: Caller, glyphs: DocumentGlyph[]): Promise<PdfFont>;
  close(): Promise<void>;
}

/** Long, because a refused page would break off a download. The first text loads fonts, which takes long on a busy machine. */
const maxWaitMs = 120_000;

/** Draws pages in a thread that starts with the first page. Callers take turns. */
export function createPrinter(log: Log): Printer {
  const turns = createFairScheduler({ slots: 2, waitingPerKey: 20, waiting: 400, maxWaitMs });
  let opening: Promise<Thread<DrawRequest>> | undefined;

  async function open(): Promise<Thread<DrawRequest>> {
    const file = new URL('../image/image-thread-main.js', import.meta.url);
    const limits = { callTimeoutMs: maxWaitMs, hangLimitMs: maxWaitMs };
    opening ??= openThread<DrawRequest>({ file, data: undefined, name: 'print', log, ...limits });
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }

  const call = (caller: Caller, request: DrawRequest) =>
    turns.run(caller, async () => (await open()).call(request));

  return {
    drawPage: async (caller, page) => (await call(caller, { page })) as DrawnPage,
    composeFont: async (caller, fontGlyphs) => (await call(caller, { fontGlyphs })) as PdfFont,
    close: async () => (await opening)?.end(),
  };
}

export const fileFormats = ['svg', 'png', 'pdf'] as const;
export type FileFormat = (typeof fileFormats)[number];

const manifestName = 'manifest.csv';
/** Keeps names below the 255 bytes that file systems allow. */
const maxNameLength = 50;
const columns = ['file', 'name', 'type', 'category', 'shareUrl', 'id'] as const;

export type FiledCode = PrintedCode & Pick<QrCode, 'id' | 'type' | 'category'>;

/** The manifest, then the file of each code, drawn as it is read. */
export async function* codeFiles(
  images: Images,
  caller: Caller,
  codes: FiledCode[],
  format: FileFormat,
): AsyncGenerator<WholeFile> {
  yield { name: manifestName, data: Buffer.from(manifest(codes, format)), isCompressed: false };
  for (const code of codes) {
    const { body } = await images.draw(caller, code.picture, format);
    yield { name: fileName(code, format), data: body, isCompressed: format !== 'svg' };
  }
}

/** The byte order mark tells spreadsheets that it is UTF-8. The content is left out: print shops get this file. */
function manifest(codes: FiledCode[], format: FileFormat): string {
  const lines = codes.map((code) =>
    csvLine([fileName(code, format), code.name, code.type, code.category, code.picture.text, code.id]),
  );
  return `\uFEFF${csvLine([...columns])}${lines.join('')}`;
}

/**
 * Readable, valid on every file system, and unique by the share token. Never starts like a spreadsheet formula: the
 * manifest would escape it and no longer match the name in the archive.
 */
function fileName({ name, shareToken }: Pick<QrCode, 'name' | 'shareToken'>, format: FileFormat): string {
  const safe = name
    .normalize('NFC')
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}<>:"/\\|?*]/gu, '_');
  const short = [...safe]
    .slice(0, maxNameLength)
    .join('')
    .trimEnd()
    .replace(/^[.\s]+/, '')
    .replace(/^[=+\-@]/, '_');
  return `${short}${short && '-'}${shareToken}.${format}`;
}

/** A phone reads a module from up to about 300 times its width: for a share link, 10 times the width of the code. */
const distancePerModule = 300;
/** Printers and phone cameras blur smaller modules. */
const minModuleMm = 0.3;

type Printed = Pick<Picture, 'text' | 'errorCorrection' | 'design'>;

/** Size in modules, including margin and frame. */
function pictureModules({ text, errorCorrection, design = defaultDesign }: Printed): {
  width: number;
  height: number;
} {
  const side = countModules(text, errorCorrection) + 2 * design.quietZone;
  const { width, height } = frameLayouts[design.frame](side, design.quietZone);
  return { width, height };
}

/** Above 1 for a frame with a text. */
export function heightPerWidth(picture: Printed): number {
  // Works for a text that is too long for a symbol, too.
  if (!picture.design || picture.design.frame === 'none') return 1;
  const { width, height } = pictureModules(picture);
  return height / width;
}

/** Module width of a picture printed this wide, including margin and frame. */
export function moduleMm(picture: Printed, widthMm: number): number {
  return widthMm / pictureModules(picture).width;
}

/** Maximum reading distance, rounded down to a round figure. */
export function readingDistanceCm(module: number): number {
  const centimeters = (module * distancePerModule) / 10;
  const step = centimeters >= 100 ? 50 : centimeters >= 30 ? 10 : 5;
  return Math.max(step, Math.floor(centimeters / step) * step);
}

/** Minimum printed width in whole millimeters. */
export function smallestWidthMm(picture: Printed): number {
  return Math.ceil(minModuleMm * pictureModules(picture).width);
}
