import * as fc from 'fast-check';
import { designErrors } from '../../../src/codes/scannability.ts';
import {
  eyeBallShapes,
  eyeFrameShapes,
  frameShapes,
  frameTexts,
  gradientShapes,
  maxLogoSize,
  maxQuietZone,
  minFramedQuietZone,
  minLogoSize,
  minQuietZone,
  moduleShapes,
  normalizeDesign,
} from '../../../src/codes/design/design.ts';
import type { Picture } from '../../../src/codes/image/draw.ts';
import { drawPicture } from '../../../src/codes/image/draw-picture.ts';
import { levelsWithLogo } from '../../../src/codes/proof/prove-design.ts';
import { errorCorrections } from '../../../src/codes/qr-code.ts';
import { type Conditions, onPaper, photograph, pixelsPerMm } from '../../../src/codes/proof/photograph.ts';
import { type Proof, provenSizesMm } from '../../../src/codes/proof/proof.ts';
import { readers } from '../../../src/codes/proof/prove.ts';
import { readColorPng } from '../design/png-pixels.ts';
import { logos } from './random-logos.ts';

const shade = (max: number) =>
  fc
    .tuple(fc.nat(max), fc.nat(max), fc.nat(max))
    .map((channels) => `#${Buffer.from(channels).toString('hex')}`);
const light = fc.oneof(fc.constant('#ffffff'), shade(63).map(invert));
const dark = fc.oneof(fc.constant('#1a1410'), shade(150));
const text = fc
  .tuple(
    fc.constantFrom('q.to', 'qrelay.example.com', 'codes.a-rather-long-name.example.co.uk'),
    fc.stringMatching(/^[0-9A-Za-z]{10}$/),
  )
  .map(([host, token]) => `https://${host}/r/${token}`);

function invert(color: string): string {
  const inverted = Buffer.from(color.slice(1), 'hex').map((channel) => 255 - channel);
  return `#${Buffer.from(inverted).toString('hex')}`;
}

/** Pictures in designs that pass the rules which need no drawing. */
const plainPictures = fc
  .record({
    text,
    errorCorrection: fc.constantFrom(...errorCorrections),
    size: fc.constantFrom(600, 601, 777, 1024),
    foregroundColor: dark,
    backgroundColor: light,
    design: fc
      .record({
        moduleShape: fc.constantFrom(...moduleShapes),
        eyeFrameShape: fc.constantFrom(...eyeFrameShapes),
        eyeBallShape: fc.constantFrom(...eyeBallShapes),
        eyeFrameColor: fc.option(dark),
        eyeBallColor: fc.option(dark),
        gradientColor: fc.option(dark),
        gradientShape: fc.constantFrom(...gradientShapes),
        gradientAngle: fc.nat(359),
        transparentBackground: fc.boolean(),
        quietZone: fc.integer({ min: minFramedQuietZone, max: maxQuietZone }),
        frame: fc.constantFrom(...frameShapes),
        frameText: fc.constantFrom(...Object.values(frameTexts).flat()),
        frameColor: fc.option(dark),
        logoSize: fc.integer({ min: minLogoSize, max: maxLogoSize }),
      })
      .map((design) =>
        normalizeDesign(
          design.frame === 'none'
            ? { ...design, quietZone: Math.max(minQuietZone, design.quietZone) }
            : design,
        ),
      ),
  })
  .filter((picture) => designErrors(picture.design, picture).length === 0);

/** With a logo, and the error correction that it needs; as it is where no level is enough. */
function addLogo(picture: Picture, logo: Uint8Array | null): Picture {
  const { text: link, design, errorCorrection: wanted } = picture;
  if (logo === null || !design) return picture;
  const [errorCorrection] = levelsWithLogo({ text: link, content: link }, wanted, design);
  return errorCorrection
    ? { ...picture, errorCorrection, design: { ...design, logo: 'logo' }, logo }
    : picture;
}

/** Half of them with a logo. */
export const designedPictures: fc.Arbitrary<Picture> = fc
  .tuple(plainPictures, fc.option(logos, { freq: 2 }))
  .map(([picture, logo]) => addLogo(picture, logo));

/** Somewhat less than what a design is proven with: what it promises must hold with a margin. */
const conditions: Record<string, Conditions> = {
  clean: { blur: 0, rotationDegrees: 0, contrast: 1, spot: 0 },
  blurred: { blur: 0.8, rotationDegrees: 0, contrast: 1, spot: 0 },
  rotated: { blur: 0.3, rotationDegrees: 15, contrast: 1, spot: 0 },
  askew: { blur: 0.4, rotationDegrees: -33, contrast: 1, spot: 0 },
  pale: { blur: 0.3, rotationDegrees: 4, contrast: 0.5, spot: 0 },
  dirty: { blur: 0.3, rotationDegrees: -6, contrast: 1, spot: 0.07 },
};

/** Films the PNG that a user would print, three frames each, at every size for which the proof promises that it is read. */
export async function failuresOf(picture: Picture, { readsAtMm }: Proof): Promise<string[]> {
  if (readsAtMm === null) return [];
  const page = onPaper(readColorPng(await drawPicture(picture, 'png')));
  const failures: string[] = [];
  for (const sizeMm of provenSizesMm.filter((size) => size >= readsAtMm)) {
    for (const [name, condition] of Object.entries(conditions)) {
      const film = [0, 1.5, -3].map((turnDegrees) =>
        photograph(page, sizeMm * pixelsPerMm, {
          ...condition,
          rotationDegrees: condition.rotationDegrees + turnDegrees,
        }),
      );
      for (const [reader, read] of Object.entries(readers)) {
        const texts = await Promise.all(film.map(read));
        if (!texts.includes(picture.text)) failures.push(`${reader}, ${name}, ${sizeMm} mm`);
      }
    }
  }
  return failures;
}
