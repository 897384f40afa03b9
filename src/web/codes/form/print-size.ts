import type { FieldError } from '../../../errors.ts';
import type { Values } from './form-body.ts';

/** What print shops ask for. */
const dotsPerMm = 300 / 25.4;
const [minPixels, maxPixels] = [128, 2048];
export const minMm = Math.ceil(minPixels / dotsPerMm);
export const maxMm = Math.floor(maxPixels / dotsPerMm);

/** In whole millimeters; empty for what is not a number of pixels. */
export function mmOf(pixels: string): string {
  return /^\s*\d{1,6}\s*$/.test(pixels) ? String(Math.round(Number(pixels) / dotsPerMm)) : '';
}

interface SizeInput {
  size: string;
  /** The pixels that the form was opened with. */
  sizeShown: string;
  sizeMm: string;
}

/**
 * One size in two units. Pixels win where they were changed, because they are exact; without a script, the other field
 * does not follow. `sizeMm` is returned where it is what was changed.
 */
export function readPrintSize({ size, sizeShown, sizeMm }: SizeInput): { size: string; sizeMm?: string } {
  const given = sizeMm.trim();
  if (size !== sizeShown || given === '' || given === mmOf(size)) return { size };
  const pixels = isInRange(given) ? String(Math.round(Number(given) * dotsPerMm)) : size;
  return { size: pixels, sizeMm: given };
}

export function printSizeErrors({ sizeMm }: Values): FieldError[] {
  if (sizeMm === undefined || isInRange(sizeMm)) return [];
  return [{ field: 'sizeMm', message: `must be a whole number from ${minMm} to ${maxMm}` }];
}

function isInRange(mm: string): boolean {
  return /^\d{1,3}$/.test(mm) && Number(mm) >= minMm && Number(mm) <= maxMm;
}
