import { composeScene } from '../design/compose.ts';
import { defaultDesign } from '../design/design.ts';
import { rasterize } from '../design/rasterize.ts';
import type { Picture } from '../image/draw.ts';
import { type GrayImage, halved, onPaper } from './gray-image.ts';
import { type Conditions, photograph } from './photograph.ts';
import { type ProvenSizeMm, provenSizesMm } from './proof-sizes.ts';

/** A phone that films 1920 pixels across an angle of 65 degrees sees this many of a millimeter that is 15 cm away. */
export const pixelsPerMm = 10;

export const conditions = {
  clean: { blur: 0, rotationDegrees: 0, contrast: 1, spot: 0 },
  blurred: { blur: 0.9, rotationDegrees: 0, contrast: 1, spot: 0 },
  rotated: { blur: 0.3, rotationDegrees: 17, contrast: 1, spot: 0 },
  askew: { blur: 0.5, rotationDegrees: -35, contrast: 1, spot: 0 },
  pale: { blur: 0.3, rotationDegrees: 5, contrast: 0.4, spot: 0 },
  dirty: { blur: 0.3, rotationDegrees: -8, contrast: 1, spot: 0.08 },
} satisfies Record<string, Conditions>;

const drawnPixels = 2 * pixelsPerMm * provenSizesMm[0];

/** The printed picture, drawn once and photographed often. */
export interface PrintedPicture {
  /** The width of a module when the picture is printed at that size. */
  moduleMm(sizeMm: ProvenSizeMm): number;
  photo(sizeMm: ProvenSizeMm, condition: Conditions): GrayImage;
}

export async function printPicture(picture: Picture): Promise<PrintedPicture> {
  const scene = await composeScene(picture, picture.design ?? defaultDesign);
  const large = onPaper(rasterize(scene, drawnPixels, { wholePixels: false }));
  const small = halved(large);
  return {
    moduleMm: (sizeMm) => sizeMm / scene.width,
    photo(sizeMm, condition) {
      const pixels = sizeMm * pixelsPerMm;
      return photograph(small.width >= 1.5 * pixels ? small : large, pixels, condition);
    },
  };
}
