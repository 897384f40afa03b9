import { type Caller, createFairScheduler } from '../../runtime/fair-scheduler.ts';
import type { Picture } from '../image/draw.ts';
import type { QrCode } from '../qr-code.ts';
import { shareUrl } from '../share-token.ts';
import { labelCorner, type LabelOptions, labelsPerSheet, layOutLabel, papers } from './labels.ts';
import { type PdfPage, writePdf } from '../design/pdf.ts';
import type { Log } from '../../telemetry/log.ts';
import { openThread, type Thread } from '../../runtime/thread.ts';
import type { PageRequest } from './label-page.ts';
import { csvLine } from '../../formats/csv.ts';
import type { Images } from '../image/image-thread.ts';
import type { DrawRequest } from '../image/image-thread-main.ts';
import type { WholeFile } from '../../formats/zip.ts';
import { defaultDesign } from '../design/design.ts';
import { frameLayouts } from '../design/compose.ts';
import { countModules } from '../image/symbol.ts';

/** How many codes one file may hold. */
export const maxPrintedCodes = 1_000;

export type PrintedCode = Pick<QrCode, 'name' | 'shareToken'> & { picture: Picture };

/** The picture of a code with its share link. */
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

/** Sheets of labels as PDF, one page at a time: whoever stops reading stops the drawing. */
export function printLabels(
  printer: Printer,
  caller: Caller,
  codes: PrintedCode[],
  options: LabelOptions,
): AsyncGenerator<Buffer> {
  return writePdf(labelPages(printer, caller, codes, options), 'QR codes');
}

async function* labelPages(
  printer: Printer,
  caller: Caller,
  codes: PrintedCode[],
  options: LabelOptions,
): AsyncGenerator<PdfPage> {
  const { sheet, start, namePlace } = options;
  const layout = layOutLabel(sheet, namePlace);
  const perSheet = labelsPerSheet(sheet);
  for (let at = 0, first = start - 1; at < codes.length; at += perSheet - first, first = 0) {
    const labels = codes.slice(at, at + perSheet - first).map(({ name, shareToken, picture }, index) => ({
      picture,
      name,
      token: shareToken,
      ...labelCorner(sheet, first + index),
    }));
    yield await printer.drawPage(caller, { ...papers[sheet.paper], layout, labels });
  }
}

/** How many codes would be too small on their labels for a phone. */
export function countTooSmall(codes: PrintedCode[], { sheet, namePlace }: LabelOptions): number {
  const { code } = layOutLabel(sheet, namePlace);
  return codes.filter(({ picture }) => {
    const { width, height } = pictureModules(picture);
    return Math.min(code.widthMm / width, code.heightMm / height) < minModuleMm;
  }).length;
}

export interface Printer {
  /** Rejects where too many wait, or where the thread has ended. */
  drawPage(caller: Caller, request: PageRequest): Promise<PdfPage>;
  close(): Promise<void>;
}

/** A page in the middle of a file that was begun must not be refused too early. */
const maxWaitMs = 120_000;

/** Draws pages in a separate thread, started by the first page: most processes never print. Callers take turns. */
export function createPrinter(log: Log): Printer {
  const turns = createFairScheduler({ slots: 2, waitingPerKey: 20, waiting: 400, maxWaitMs });
  let opening: Promise<Thread<DrawRequest>> | undefined;

  async function open(): Promise<Thread<DrawRequest>> {
    const file = new URL('../image/image-thread-main.js', import.meta.url);
    opening ??= openThread<DrawRequest>({ file, data: undefined, name: 'print', log });
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }

  return {
    drawPage: (caller, page) =>
      turns.run(caller, async () => (await (await open()).call({ page })) as PdfPage),
    close: async () => (await opening)?.end(),
  };
}

export const fileFormats = ['svg', 'png', 'pdf'] as const;
export type FileFormat = (typeof fileFormats)[number];

export const manifestName = 'manifest.csv';
/** Keeps names below the 255 bytes that file systems allow. */
const maxNameLength = 50;
const columns = ['file', 'name', 'type', 'category', 'shareUrl', 'id'] as const;

export type FiledCode = PrintedCode & Pick<QrCode, 'id' | 'type' | 'category'>;

/** The manifest, then the file of each code, drawn when it is asked for. */
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
 * Readable, valid on every file system, and unique by the share token. It starts with nothing that a spreadsheet runs as a
 * formula: the manifest would have to escape it, and would name another file than the archive has.
 */
export function fileName(
  { name, shareToken }: Pick<QrCode, 'name' | 'shareToken'>,
  format: FileFormat,
): string {
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
/** Printers and phone cameras blur what is smaller. */
export const minModuleMm = 0.3;

type Printed = Pick<Picture, 'text' | 'errorCorrection' | 'design'>;

/** How wide and how high the picture is in modules, with its margin and its frame. */
export function pictureModules({ text, errorCorrection, design = defaultDesign }: Printed): {
  width: number;
  height: number;
} {
  const side = countModules(text, errorCorrection) + 2 * design.quietZone;
  const { width, height } = frameLayouts[design.frame](side, design.quietZone);
  return { width, height };
}

/** A frame with a text makes the picture higher than wide. */
export function heightPerWidth(picture: Printed): number {
  // Also for a text that no symbol can hold.
  if (!picture.design || picture.design.frame === 'none') return 1;
  const { width, height } = pictureModules(picture);
  return height / width;
}

/** The width of a module of a picture that is printed this wide, margin and frame included. */
export function moduleMm(picture: Printed, widthMm: number): number {
  return widthMm / pictureModules(picture).width;
}

/** From how far a phone reads it, in centimeters, rounded down to a figure that is easy to remember. */
export function readingDistanceCm(module: number): number {
  const centimeters = (module * distancePerModule) / 10;
  const step = centimeters >= 100 ? 50 : centimeters >= 30 ? 10 : 5;
  return Math.max(step, Math.floor(centimeters / step) * step);
}

/** How wide a picture must be printed, in whole millimeters. */
export function smallestWidthMm(picture: Printed): number {
  return Math.ceil(minModuleMm * pictureModules(picture).width);
}
