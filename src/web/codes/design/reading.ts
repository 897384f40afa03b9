import type { Design } from '../../../codes/design/design.ts';
import type { Picture } from '../../../codes/image/draw.ts';
import { levelsWithLogo, repairablePercent, undrawableError } from '../../../codes/proof/prove-design.ts';
import { designErrors, symbolContrast } from '../../../codes/scannability.ts';
import { withFieldsInWords } from '../../ui/words.tsx';

/** How well a design can be read, as far as that is known without photographing it. */
export interface Reading {
  /** From 1 to 21, in tenths. */
  contrast: number;
  /** Percent of the code that can be damaged; undefined if its text is too long. */
  repairs?: number | undefined;
  /** Why it could not be saved. */
  warnings: string[];
}

type DesignedPicture = Picture & { design: Design };

/** `undrawable` is a character of the frame text that no font has. */
export function readingOf(picture: DesignedPicture, undrawable: string | null = null): Reading {
  const { design } = picture;
  const errors = [
    ...(undrawable === null ? [] : [undrawableError(undrawable)]),
    ...designErrors(design, picture),
  ];
  return {
    // Rounded down: a contrast just below the limit must not look like the limit.
    contrast: Math.floor(10 * symbolContrast(design, picture)) / 10,
    repairs: repairablePercent(picture),
    warnings: errors.map(({ field, message }) => {
      const words = withFieldsInWords(`${field} ${message.replace(/^of the code /, '')}.`);
      return words.charAt(0).toUpperCase() + words.slice(1);
    }),
  };
}

/** Saving raises the error correction where the logo needs it, which changes the picture. */
export function withRoomForLogo<Drawn extends DesignedPicture>(picture: Drawn, content: string): Drawn {
  const { text, design, errorCorrection } = picture;
  if (design.logo === null) return picture;
  const [level = errorCorrection] = levelsWithLogo({ text, content }, errorCorrection, design);
  return { ...picture, errorCorrection: level };
}

/** For design.browser.js. Encoded, because headers have neither commas nor other alphabets. */
export const readingHeader = 'Qrelay-Reading';
export const encodeReading = (reading: Reading) => encodeURIComponent(JSON.stringify(reading));
