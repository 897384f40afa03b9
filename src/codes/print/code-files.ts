import { csvLine } from '../../http/csv.ts';
import type { Caller } from '../../runtime/fair-scheduler.ts';
import type { Images } from '../image/image-thread.ts';
import type { QrCode } from '../qr-code.ts';
import { printCode, type PrintedCode } from './print-codes.ts';
import type { Printer } from './print-thread.ts';
import type { ZipFile } from './zip-writer.ts';

export const fileFormats = ['svg', 'png', 'pdf'] as const;
export type FileFormat = (typeof fileFormats)[number];

export const manifestName = 'manifest.csv';
/** As wide as the PDF of a single code. */
const pdfWidthMm = 50;
/** Keeps names below the 255 bytes that file systems allow. */
const maxNameLength = 50;
const columns = ['file', 'name', 'type', 'category', 'shareUrl', 'id'] as const;

export type FiledCode = PrintedCode & Pick<QrCode, 'id' | 'type' | 'category'>;

/** The manifest, then the file of each code, drawn when it is asked for. */
export async function* codeFiles(
  { printer, images }: { printer: Printer; images: Images },
  caller: Caller,
  codes: FiledCode[],
  format: FileFormat,
): AsyncGenerator<ZipFile> {
  yield { name: manifestName, data: Buffer.from(manifest(codes, format)), isCompressible: true };
  for (const code of codes) {
    const data =
      format === 'pdf'
        ? await collect(printCode(printer, caller, code, pdfWidthMm))
        : (await images.draw(caller, code.picture, format)).body;
    yield { name: fileName(code, format), data, isCompressible: format === 'svg' };
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

async function collect(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const collected: Buffer[] = [];
  for await (const part of parts) collected.push(part);
  return Buffer.concat(collected);
}
