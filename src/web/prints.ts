import type { Readable } from 'node:stream';
import type { Picture } from '../codes/image/draw.ts';
import type { Images } from '../codes/image/image-thread.ts';
import {
  codeFiles,
  type FiledCode,
  type FileFormat,
  pictureOf,
  type PrintedCode,
  type Printer,
  printLabels,
} from '../codes/print/print-codes.ts';
import type { LabelOptions } from '../codes/print/labels.ts';
import { streamZip } from '../formats/zip.ts';
import { printedTitle } from '../codes/public-title.ts';
import type { QrCode } from '../codes/qr-code.ts';
import { findDesigns } from '../codes/design/stored-design.ts';
import type { Database } from '../store/database.ts';
import type { Downloader, Downloads } from './downloads.ts';

interface PrintsParts {
  db: Database;
  printer: Printer;
  images: Images;
  downloads: Downloads;
  baseUrl: string;
  now: () => Date;
}

/** Files of many codes. */
export interface Prints {
  picturesOf(codes: QrCode[]): Promise<(QrCode & PrintedCode)[]>;
  /** `load` is called when it is the turn of the caller: a thousand codes take time and memory. */
  labels(caller: Downloader, load: () => Promise<PrintedCode[]>, options: LabelOptions): Promise<Readable>;
  files(caller: Downloader, load: () => Promise<FiledCode[]>, format: FileFormat): Promise<Readable>;
}

/** Labels show the title that everybody may see, and not the name that only its owner sees. */
export function withPublicTitles(codes: (QrCode & PrintedCode)[]): PrintedCode[] {
  return codes.map((code) => {
    const { shareToken, picture } = code;
    return { shareToken, picture, name: printedTitle(code).title };
  });
}

export function createPrints({ db, printer, images, downloads, baseUrl, now }: PrintsParts): Prints {
  return {
    async picturesOf(codes) {
      const ids = codes.map(({ id }) => id);
      const designs = await findDesigns(db, ids);
      return codes.map((code) => {
        const picture: Picture = { ...pictureOf(code, baseUrl), design: designs.get(code.id) };
        return Object.assign(code, { picture });
      });
    },
    labels: (caller, load, options) =>
      downloads.stream(caller, async () => printLabels(printer, caller, await load(), options)),
    files: (caller, load, format) =>
      downloads.stream(caller, async () =>
        streamZip(codeFiles(images, caller, await load(), format), now(), { unixMode: 0o644 }),
      ),
  };
}
