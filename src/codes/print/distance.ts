import { defaultDesign } from '../design/design.ts';
import { frameLayouts } from '../design/frame-layout.ts';
import type { Picture } from '../image/draw.ts';
import { countModules } from '../image/symbol.ts';

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
