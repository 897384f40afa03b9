import type { Picture } from './image/draw.ts';
import { contrastOf, luminance, minContrast, showContrast } from './contrast.ts';
import { type CodeType, contentType, parseContent } from './content/content-types.ts';
import { numberWarning } from './content/phone-number.ts';
import { modulePixels, sizeFor } from './image/layout.ts';
import { countModules, fitsSymbol } from './image/symbol.ts';
import { errorCorrections, type ErrorCorrection, type QrCode } from './qr-code.ts';

/** Modules of one pixel are lost when the image is scaled or photographed. */
const minModulePixels = 2;

type Look = Pick<QrCode, 'errorCorrection' | 'size' | 'foregroundColor' | 'backgroundColor'>;

/**
 * What may keep scanners from reading the image, and what to change. Plain ASCII without commas: each warning can be a
 * header, and joined headers can be split again.
 */
export function pictureWarnings(picture: Picture): string[] {
  return [...colorWarnings(picture), ...sizeWarnings(picture)];
}

/** For a stored code: its content and both its images. A warning that applies to both images is given once. */
export function codeWarnings(
  code: Look & Pick<QrCode, 'content'> & { type?: CodeType },
  shareUrl: string,
): string[] {
  const { errorCorrection, size, foregroundColor, backgroundColor } = code;
  const look = { errorCorrection, size, foregroundColor, backgroundColor };
  const shared = pictureWarnings({ ...look, text: shareUrl });
  const direct = pictureWarnings({ ...look, text: code.content });
  return [
    ...(code.type ? contentWarnings(code.type, code.content) : []),
    ...shared,
    ...direct
      .filter((warning) => !shared.includes(warning))
      .map((warning) => `With encode=content: ${warning}`),
  ];
}

function contentWarnings(type: CodeType, content: string): string[] {
  const { remedy, phoneNumbers } = contentType(type);
  const parsed = parseContent(type, content);
  if (remedy !== undefined && parsed.kind === 'text')
    return [`The content cannot be read as ${type}: scanners will see it as plain text. ${remedy}`];
  const warning = phoneNumbers && numberWarning(phoneNumbers.read(parsed, content), phoneNumbers.warning);
  return warning ? [warning] : [];
}

function colorWarnings({ foregroundColor, backgroundColor }: Picture): string[] {
  const foreground = luminance(foregroundColor);
  const background = luminance(backgroundColor);
  const contrast = contrastOf(foreground, background);
  const warnings: string[] = [];
  if (contrast < minContrast) {
    warnings.push(
      `The colors ${foregroundColor} and ${backgroundColor} are too similar for a scanner: their contrast is ${showContrast(contrast)} and should be at least ${minContrast}:1. ${remedyFor(foreground, background)}`,
    );
  }
  // Swapping does not help colors that are too similar.
  if (foreground > background && contrast >= minContrast) {
    warnings.push(
      `Many scanners expect dark on light: the foregroundColor ${foregroundColor} is lighter than the backgroundColor ${backgroundColor}. Swap the two.`,
    );
  }
  return warnings;
}

/** Suggests only what can help: no background is lighter than white. */
function remedyFor(foreground: number, background: number): string {
  const [darker, lighter] = ['a darker foregroundColor', 'a lighter backgroundColor'];
  const canDarken = contrastOf(0, background) >= minContrast;
  const canLighten = contrastOf(foreground, 1) >= minContrast;
  if (canDarken === canLighten) return `Choose ${darker} ${canDarken ? 'or' : 'and'} ${lighter}.`;
  return `Choose ${canDarken ? darker : lighter}.`;
}

function sizeWarnings({ text, errorCorrection, size }: Picture): string[] {
  if (!fitsSymbol(text, errorCorrection)) return [lengthWarning(text, errorCorrection)];
  const modules = countModules(text, errorCorrection);
  const pixels = modulePixels(modules, size);
  if (pixels >= minModulePixels) return [];
  const problem =
    pixels === 0
      ? `A picture of ${size} pixels has no room for the ${modules} by ${modules} modules that this much text takes and the margin around them`
      : `A picture of ${size} pixels has only ${pixels} pixel for each of the ${modules} by ${modules} modules that this much text takes`;
  const lower = errorCorrections
    .slice(0, errorCorrections.indexOf(errorCorrection))
    .findLast((level) => modulePixels(countModules(text, level), size) >= minModulePixels);
  const ways = [`It needs at least ${sizeFor(modules, minModulePixels)} pixels`, 'less text'];
  if (lower) ways.push(`the errorCorrection ${lower}`);
  return [`${problem}. ${ways.join(' or ')}.`];
}

/** For text that no QR code can hold at that level. */
function lengthWarning(text: string, errorCorrection: ErrorCorrection): string {
  const lower = errorCorrections.findLast((level) => fitsSymbol(text, level));
  const ways = lower ? `less text or the errorCorrection ${lower}` : 'less text';
  return `The text is longer than a QR code holds at errorCorrection ${errorCorrection}. Use ${ways}.`;
}
