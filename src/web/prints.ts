import { Readable } from 'node:stream';
import { createConcurrencyLimit } from '../accounts/concurrency-limit.ts';
import { createKeyedLimit } from '../accounts/keyed-limit.ts';
import type { Picture } from '../codes/image/draw.ts';
import type { Images } from '../codes/image/image-thread.ts';
import { codeFiles, type FileFormat } from '../codes/print/code-files.ts';
import { type LabelOptions, pictureOf, type PrintedCode, printLabels } from '../codes/print/print-codes.ts';
import type { Printer } from '../codes/print/print-thread.ts';
import { writeZip } from '../codes/print/zip-writer.ts';
import type { QrCode } from '../codes/qr-code.ts';
import { findDesigns } from '../codes/design/stored-design.ts';
import type { Database } from '../store/database.ts';
import { BusyError } from '../errors.ts';

interface PrintsParts {
  db: Database;
  printer: Printer;
  images: Images;
  baseUrl: string;
  now: () => Date;
}

/** Files of many codes. Each is made while it is sent, and no longer than its client reads. */
export interface Prints {
  picturesOf(codes: QrCode[]): Promise<(QrCode & PrintedCode)[]>;
  labels(ownerId: string, codes: PrintedCode[], options: LabelOptions): Promise<Readable>;
  files(ownerId: string, codes: (QrCode & PrintedCode)[], format: FileFormat): Promise<Readable>;
}

const wait = { maxWaiting: 20, maxWaitMs: 10_000 };

/** 8 files are made at the same time, and 2 of one account, so that others do not wait for it. */
export function createPrints({ db, printer, images, baseUrl, now }: PrintsParts): Prints {
  const accounts = createKeyedLimit({ concurrency: 2, ...wait });
  const all = createConcurrencyLimit({ concurrency: 8, ...wait });

  async function stream(ownerId: string, make: () => AsyncGenerator<Buffer>): Promise<Readable> {
    const leaveAccount = await accounts.acquire(ownerId);
    if (!leaveAccount) throw busy();
    const leave = await all.acquire();
    if (!leave) {
      leaveAccount();
      throw busy();
    }
    // Counted in bytes: as objects, many pages would be drawn ahead.
    const body = Readable.from(make(), { objectMode: false });
    body.once('close', () => {
      leave();
      leaveAccount();
    });
    return body;
  }

  return {
    async picturesOf(codes) {
      const ids = codes.map(({ id }) => id);
      const designs = await findDesigns(db, ids);
      return codes.map((code) => {
        const picture: Picture = { ...pictureOf(code, baseUrl), design: designs.get(code.id) };
        return Object.assign(code, { picture });
      });
    },
    labels: (ownerId, codes, options) => stream(ownerId, () => printLabels(printer, codes, options)),
    files: (ownerId, codes, format) =>
      stream(ownerId, () => writeZip(codeFiles({ printer, images }, codes, format), now())),
  };
}

function busy(): BusyError {
  return new BusyError('Too many files are being made. Try again shortly.', { retryAfterSeconds: 5 });
}
