import type { Caller } from '../../runtime/fair-scheduler.ts';
import type { Picture } from '../image/draw.ts';
import type { QrCode } from '../qr-code.ts';
import { shareUrl } from '../share-token.ts';
import { heightPerWidth, minModuleMm, pictureModules } from './distance.ts';
import { layOutLabel, type NamePlace } from './label-layout.ts';
import { labelCorner, type LabelSheet, labelsPerSheet, papers } from './label-sheets.ts';
import { type PdfPage, writePdf } from './pdf-writer.ts';
import type { Printer } from './print-thread.ts';

/** How many codes one file may hold. */
export const maxPrintedCodes = 1_000;

export type PrintedCode = Pick<QrCode, 'name' | 'shareToken'> & { picture: Picture };

export interface LabelOptions {
  sheet: LabelSheet;
  /** The first label to print on, from 1: those before it are used up. */
  start: number;
  namePlace: NamePlace;
}

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
  return writePdf(labelPages(printer, caller, codes, options));
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

/** One code as a PDF of its size, its frame included. */
export function printCode(
  printer: Printer,
  caller: Caller,
  { name, shareToken, picture }: PrintedCode,
  widthMm: number,
): AsyncGenerator<Buffer> {
  const heightMm = widthMm * heightPerWidth(picture);
  const code = { xMm: 0, yMm: 0, widthMm, heightMm };
  const label = { picture, name, token: shareToken, xMm: 0, yMm: 0 };
  const page = printer.drawPage(caller, { widthMm, heightMm, layout: { code }, labels: [label] });
  return writePdf(
    (async function* onePage() {
      yield await page;
    })(),
  );
}
