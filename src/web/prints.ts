import type { Readable } from 'node:stream';
import type { Picture } from '../codes/image/draw.ts';
import type { Images } from '../codes/image/image-thread.ts';
import { codeFiles, type FileFormat } from '../codes/print/code-files.ts';
import { type LabelOptions, pictureOf, type PrintedCode, printLabels } from '../codes/print/print-codes.ts';
import type { Printer } from '../codes/print/print-thread.ts';
import { writeZip } from '../codes/print/zip-writer.ts';
import type { QrCode } from '../codes/qr-code.ts';
import { findDesigns } from '../codes/design/stored-design.ts';
import type { Database } from '../store/database.ts';
import type { Caller } from '../runtime/fair-scheduler.ts';
import type { Downloads } from './downloads.ts';

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
  labels(caller: Caller, codes: PrintedCode[], options: LabelOptions): Promise<Readable>;
  files(caller: Caller, codes: (QrCode & PrintedCode)[], format: FileFormat): Promise<Readable>;
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
    labels: (caller, codes, options) =>
      downloads.stream(caller, () => printLabels(printer, caller, codes, options)),
    files: (caller, codes, format) =>
      downloads.stream(caller, () => writeZip(codeFiles({ printer, images }, caller, codes, format), now())),
  };
}
