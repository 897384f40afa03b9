import { composeScene } from '../design/compose.ts';
import { defaultDesign } from '../design/design.ts';
import { rasterize } from '../design/rasterize.ts';
import type { Picture } from '../image/draw.ts';
import { type GrayImage, halved, onPaper } from './gray-image.ts';
import { type Conditions, photograph } from './photograph.ts';
import { type ProvenSizeMm, provenSizesMm } from './proof-sizes.ts';

/** A phone that films 1920 pixels across an angle of 65 degrees sees this many of a millimeter that is 15 cm away. */
export const pixelsPerMm = 10;

/** Several at once. One is not blurred: dots are hardest to read where no blur joins them. */
export const conditions = {
  blurred: { blur: 0.95, rotationDegrees: 2, contrast: 1, spot: 0 },
  askewAndPale: { blur: 0.3, rotationDegrees: -35, contrast: 0.4, spot: 0 },
  rotatedAndDirty: { blur: 0, rotationDegrees: 16, contrast: 0.9, spot: 0.08 },
} satisfies Record<string, Conditions>;

const drawnPixels = 1.5 * pixelsPerMm * provenSizesMm[0];

/** The printed picture, drawn when it is first photographed. */
export interface PrintedPicture {
  /** The width of a module when the picture is printed at that size. */
  moduleMm(sizeMm: ProvenSizeMm): number;
  photo(sizeMm: ProvenSizeMm, condition: Conditions): GrayImage;
}

export async function printPicture(picture: Picture): Promise<PrintedPicture> {
  const scene = await composeScene(picture, picture.design ?? defaultDesign);
  let drawn: { large: GrayImage; small: GrayImage } | undefined;
  function draw() {
    const large = onPaper(rasterize(scene, drawnPixels, { wholePixels: false }));
    return { large, small: halved(large) };
  }
  return {
    moduleMm: (sizeMm) => sizeMm / scene.width,
    photo(sizeMm, condition) {
      drawn ??= draw();
      const pixels = sizeMm * pixelsPerMm;
      return photograph(drawn.small.width >= 1.5 * pixels ? drawn.small : drawn.large, pixels, condition);
    },
  };
}
