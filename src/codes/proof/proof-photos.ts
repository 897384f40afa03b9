import { composeScene } from '../design/compose.ts';
import { defaultDesign } from '../design/design.ts';
import { rasterize } from '../design/rasterize.ts';
import type { Picture } from '../image/draw.ts';
import { brightness, type GrayImage, halved, onPaper } from './gray-image.ts';
import { type Conditions, photograph } from './photograph.ts';
import { type ProvenSizeMm, provenSizesMm } from './proof-sizes.ts';

/** A phone that films 1920 pixels across an angle of 65 degrees sees this many of a millimeter that is 15 cm away. */
export const pixelsPerMm = 10;

export interface ProofCondition extends Conditions {
  /** Of the three frames of a film, how many each reader must read. */
  framesToRead: 2 | 3;
}

const blurred: ProofCondition = {
  blur: 0.95,
  rotationDegrees: 2,
  contrast: 1,
  spot: 0,
  framesToRead: 2,
};
const askewAndPale: ProofCondition = {
  blur: 0.3,
  rotationDegrees: -35,
  contrast: 0.4,
  spot: 0,
  framesToRead: 2,
};
/** Not blurred: dots are hardest to read where no blur joins them. What one frame hides, the next one shows, but not dirt. */
const rotatedAndDirty: ProofCondition = {
  blur: 0,
  rotationDegrees: 16,
  contrast: 0.9,
  spot: 0.08,
  framesToRead: 3,
};
const conditions = [blurred, askewAndPale, rotatedAndDirty];

/** Where colors differ, pale print is read at some angles and not at others. */
const conditionsOfUnevenColors = [
  blurred,
  rotatedAndDirty,
  ...[askewAndPale.rotationDegrees, 4].map(
    (rotationDegrees): ProofCondition => ({ ...askewAndPale, rotationDegrees, framesToRead: 3 }),
  ),
];

/** How far the lightest color of the modules may be from the darkest, on its way to the background, to count as alike. */
const alikePart = 0.25;

const drawnPixels = 1.5 * pixelsPerMm * provenSizesMm[0];

/** The printed picture, drawn when it is first photographed. */
export interface PrintedPicture {
  /** In which it must be read. */
  conditions: ProofCondition[];
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
    conditions: hasUnevenColors(picture) ? conditionsOfUnevenColors : conditions,
    moduleMm: (sizeMm) => sizeMm / scene.width,
    photo(sizeMm, condition) {
      drawn ??= draw();
      const pixels = sizeMm * pixelsPerMm;
      return photograph(drawn.small.width >= 1.5 * pixels ? drawn.small : drawn.large, pixels, condition);
    },
  };
}

function hasUnevenColors({ foregroundColor, backgroundColor, design = defaultDesign }: Picture): boolean {
  const { gradientColor, eyeFrameColor, eyeBallColor } = design;
  const used = [foregroundColor, gradientColor, eyeFrameColor, eyeBallColor].filter(
    (color) => color !== null,
  );
  const behind = design.transparentBackground ? 1 : brightness(backgroundColor);
  const dark = used.map(brightness);
  const darkest = Math.min(...dark);
  return Math.max(...dark) - darkest > alikePart * (behind - darkest);
}
