import type { Picture } from '../image/draw.ts';
import { countModules } from '../image/symbol.ts';

/** The margin on both sides, in modules. */
const quietModules = 8;
/** A phone reads a module from up to about 300 times its width: for a share link, 10 times the width of the code. */
const distancePerModule = 300;
/** Printers and phone cameras blur what is smaller. */
export const minModuleMm = 0.3;

/** The width of a module of a picture that is printed this wide, margin included. */
export function moduleMm(
  { text, errorCorrection }: Pick<Picture, 'text' | 'errorCorrection'>,
  widthMm: number,
): number {
  return widthMm / (countModules(text, errorCorrection) + quietModules);
}

/** From how far a phone reads it, in centimeters, rounded down to a figure that is easy to remember. */
export function readingDistanceCm(module: number): number {
  const centimeters = (module * distancePerModule) / 10;
  const step = centimeters >= 100 ? 50 : centimeters >= 30 ? 10 : 5;
  return Math.max(step, Math.floor(centimeters / step) * step);
}

/** How wide a picture must be printed, in whole millimeters. */
export function smallestWidthMm(picture: Pick<Picture, 'text' | 'errorCorrection'>): number {
  return Math.ceil(minModuleMm * (countModules(picture.text, picture.errorCorrection) + quietModules));
}
