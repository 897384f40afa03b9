import type { Picture } from './image/draw.ts';
import { numberWarning } from './content/number-warning.ts';
import { parseContent } from './content/parse-content.ts';
import { modulePixels, sizeFor } from './image/layout.ts';
import { countModules, fitsSymbol } from './image/symbol.ts';
import { type CodeType, type ErrorCorrection, errorCorrections, type QrCode } from './qr-code.ts';

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

/** How each type is best written, for owners whose content could not be read as such. */
const remedies: Partial<Record<CodeType, string>> = {
  wifi: 'Write it like WIFI:T:WPA;S:network;P:password;;',
  vcard: 'Write it as a vCard that begins with BEGIN:VCARD and has a name.',
  email: 'Write it like name@example.com or mailto:name@example.com?subject=Hello',
  phone: 'Write one number like +15550100123.',
  sms: 'Write it like +15550100123 or SMSTO:+15550100123:Hello',
  whatsapp: 'Write one number with its country code like +15550100123.',
  geo: 'Write latitude and longitude in degrees or paste a link to a map.',
  social: 'Write whole addresses that begin with https://',
};

/** For a stored code: how its content is read, and both its pictures. What holds for both is said once. */
export function codeWarnings(
  code: Look & Pick<QrCode, 'content'> & { type?: CodeType },
  shareUrl: string,
): string[] {
  const { errorCorrection, size, foregroundColor, backgroundColor } = code;
  const look = { errorCorrection, size, foregroundColor, backgroundColor };
  const shared = pictureWarnings({ ...look, text: shareUrl });
  const direct = pictureWarnings({ ...look, text: code.content });
  const remedy = code.type && remedies[code.type];
  const read = code.type && parseContent(code.type, code.content);
  const isUnread = remedy !== undefined && read?.kind === 'text';
  const number = code.type && read && numberWarning(code.type, code.content, read);
  return [
    ...(isUnread
      ? [`The content cannot be read as ${code.type}: scanners will see it as plain text. ${remedy}`]
      : []),
    ...(number ? [number] : []),
    ...shared,
    ...direct
      .filter((warning) => !shared.includes(warning))
      .map((warning) => `With encode=content: ${warning}`),
  ];
}

function colourWarnings({ foregroundColor, backgroundColor }: Picture): string[] {
  const foreground = luminance(foregroundColor);
  const background = luminance(backgroundColor);
  const contrast = contrastOf(foreground, background);
  const warnings: string[] = [];
  if (contrast < leastContrast) {
    // Rounded down, so that a contrast that is too low does not look as if it were enough.
    const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
    warnings.push(
      `The colors ${foregroundColor} and ${backgroundColor} are too much alike for a scanner: their contrast is ${shown}:1 and should be at least ${leastContrast}:1. ${remedyFor(foreground, background)}`,
    );
  }
  // Colours that differ too little are not mended by swapping them.
  if (foreground > background && contrast >= leastContrast) {
    warnings.push(
      `Many scanners expect dark on light: the foregroundColor ${foregroundColor} is lighter than the backgroundColor ${backgroundColor}. Swap the two.`,
    );
  }
  return warnings;
}

/** Only what can help: no background is lighter than white. */
function remedyFor(foreground: number, background: number): string {
  const [darker, lighter] = ['a darker foregroundColor', 'a lighter backgroundColor'];
  const canDarken = contrastOf(0, background) >= leastContrast;
  const canLighten = contrastOf(foreground, 1) >= leastContrast;
  if (canDarken === canLighten) return `Choose ${darker} ${canDarken ? 'or' : 'and'} ${lighter}.`;
  return `Choose ${canDarken ? darker : lighter}.`;
}

function contrastOf(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function sizeWarnings({ text, errorCorrection, size }: Picture): string[] {
  if (!fitsSymbol(text, errorCorrection)) return [lengthWarning(text, errorCorrection)];
  const modules = countModules(text, errorCorrection);
  const pixels = modulePixels(modules, size);
  if (pixels >= leastModulePixels) return [];
  const error =
    pixels === 0
      ? `A picture of ${size} pixels has no room for the ${modules} by ${modules} modules that this much text takes and the margin around them`
      : `A picture of ${size} pixels has only ${pixels} pixel for each of the ${modules} by ${modules} modules that this much text takes`;
  const lower = errorCorrections
    .slice(0, errorCorrections.indexOf(errorCorrection))
    .findLast((level) => modulePixels(countModules(text, level), size) >= leastModulePixels);
  const ways = [`It needs at least ${sizeFor(modules, leastModulePixels)} pixels`, 'less text'];
  if (lower) ways.push(`the errorCorrection ${lower}`);
  return [`${error}. ${ways.join(' or ')}.`];
}

/** A picture cannot be drawn at all. */
function lengthWarning(text: string, errorCorrection: ErrorCorrection): string {
  const lower = errorCorrections.findLast((level) => fitsSymbol(text, level));
  const ways = lower ? `less text or the errorCorrection ${lower}` : 'less text';
  return `The text is longer than a QR code holds at errorCorrection ${errorCorrection}. Use ${ways}.`;
}

/** Relative luminance as of WCAG 2, from 0 for black to 1 for white. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
