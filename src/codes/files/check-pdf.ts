import { ImageError } from '../logo/logo-limits.ts';

/** What readers look through for the end. */
const tailBytes = 1_024;

/** Stored as it came. What it may do is up to the headers that it is served with, and to the reader. */
export function checkPdf(file: Buffer): void {
  if (!/^%PDF-[12]\.\d/.test(file.toString('latin1', 0, 8)))
    throw new ImageError('is not a PDF file: export it again');
  const tail = file.toString('latin1', Math.max(0, file.length - tailBytes));
  if (tail.includes('%%EOF') && tail.includes('startxref')) return;
  throw new ImageError('is damaged or incomplete, or has other data after the PDF: export it again');
}
