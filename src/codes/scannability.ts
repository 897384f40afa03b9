import type { Picture } from './image/draw.ts';
import { modulePixels, sizeFor } from './image/layout.ts';
import { countModules } from './image/symbol.ts';
import type { QrCode } from './qr-code.ts';

/** As of WCAG 2: from 1 for two equal colours to 21 for black and white. */
const leastContrast = 3;
/** Modules of one pixel are lost as soon as a picture is scaled or photographed. */
const leastModulePixels = 2;

type Look = Pick<QrCode, 'errorCorrection' | 'size' | 'foregroundColor' | 'backgroundColor'>;

/**
 * What keeps scanners from reading the picture, and what to change. Plain ASCII without commas: each sentence can be a
 * header, and headers that were joined can be told apart.
 */
export function pictureWarnings(picture: Picture): string[] {
  return [...colourWarnings(picture), ...sizeWarnings(picture)];
}

/** For both pictures of a stored code. What holds for both is said once. */
export function codeWarnings(code: Look & Pick<QrCode, 'content'>, shareUrl: string): string[] {
  const { errorCorrection, size, foregroundColor, backgroundColor } = code;
  const look = { errorCorrection, size, foregroundColor, backgroundColor };
  const shared = pictureWarnings({ ...look, text: shareUrl });
  const direct = pictureWarnings({ ...look, text: code.content });
  return [
    ...shared,
    ...direct
      .filter((warning) => !shared.includes(warning))
      .map((warning) => `With encode=content: ${warning}`),
  ];
}

function colourWarnings({ foregroundColor, backgroundColor }: Picture): string[] {
  const foreground = luminance(foregroundColor);
  const background = luminance(backgroundColor);
  const contrast = (Math.max(foreground, background) + 0.05) / (Math.min(foreground, background) + 0.05);
  const warnings: string[] = [];
  if (contrast < leastContrast) {
    // Rounded down, so that a contrast that is too low does not look as if it were enough.
    const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
    warnings.push(
      `The colours ${foregroundColor} and ${backgroundColor} are too much alike for a scanner: their contrast is ${shown}:1 and should be at least ${leastContrast}:1. Choose a darker foregroundColor or a lighter backgroundColor.`,
    );
  }
  if (foreground > background) {
    warnings.push(
      `Many scanners expect dark on light: the foregroundColor ${foregroundColor} is lighter than the backgroundColor ${backgroundColor}. Swap the two.`,
    );
  }
  return warnings;
}

function sizeWarnings({ text, errorCorrection, size }: Picture): string[] {
  const modules = countModules(text, errorCorrection);
  const pixels = modulePixels(modules, size);
  if (pixels >= leastModulePixels) return [];
  const fault =
    pixels === 0
      ? `A picture of ${size} pixels has no room for the ${modules} by ${modules} modules that this much text takes and the margin around them`
      : `A picture of ${size} pixels has only ${pixels} pixel for each of the ${modules} by ${modules} modules that this much text takes`;
  const remedies = [
    `It needs at least ${sizeFor(modules, leastModulePixels)} pixels`,
    ...(errorCorrection === 'L' ? ['less text'] : ['less text', 'a lower errorCorrection']),
  ];
  return [`${fault}. ${remedies.join(' or ')}.`];
}

/** Relative luminance as of WCAG 2, from 0 for black to 1 for white. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
