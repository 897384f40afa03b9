import type { Picture } from './image/draw.ts';
import { numberWarning } from './content/phone-number.ts';
import { type CodeType, contentType, parseContent } from './content/content-types.ts';
import { countModules, fitsSymbol, modulePixels, sizeFor } from './image/symbol.ts';
import { type ErrorCorrection, type QrCode, errorCorrections } from './qr-code.ts';
import { contrastOf, luminance } from '../color.ts';
import type { FieldError } from '../errors.ts';
import { type Design, minQuietZone } from './design/design.ts';

/** Modules of one pixel are lost when the image is scaled or photographed. */
const minModulePixels = 2;

type Look = Pick<QrCode, 'errorCorrection' | 'size' | 'foregroundColor' | 'backgroundColor'>;

/**
 * What may keep scanners from reading the image, and what to change. ASCII without commas, so that warnings can be
 * joined in a header.
 */
export function pictureWarnings(picture: Picture): string[] {
  return [...colorWarnings(picture), ...sizeWarnings(picture)];
}

/** Checks a stored code: its content and both its images. A warning about both images is given once. */
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
  const finding =
    pixels === 0
      ? `A picture of ${size} pixels has no room for the ${modules} by ${modules} modules that this much text takes and the margin around them`
      : `A picture of ${size} pixels has only ${pixels} pixel for each of the ${modules} by ${modules} modules that this much text takes`;
  const lower = errorCorrections
    .slice(0, errorCorrections.indexOf(errorCorrection))
    .findLast((level) => modulePixels(countModules(text, level), size) >= minModulePixels);
  const ways = [`It needs at least ${sizeFor(modules, minModulePixels)} pixels`, 'less text'];
  if (lower) ways.push(`the errorCorrection ${lower}`);
  return [`${finding}. ${ways.join(' or ')}.`];
}

function lengthWarning(text: string, errorCorrection: ErrorCorrection): string {
  const lower = errorCorrections.findLast((level) => fitsSymbol(text, level));
  const ways = lower ? `less text or the errorCorrection ${lower}` : 'less text';
  return `The text is longer than a QR code holds at errorCorrection ${errorCorrection}. Use ${ways}.`;
}

type Colors = Pick<Picture, 'foregroundColor' | 'backgroundColor'>;

const paper = '#ffffff';

/** Errors that can be found without drawing the design. `colors` are the code's. */
export function designErrors(design: Design, colors: Colors): FieldError[] {
  return [...frameErrors(design, colors), ...colorErrors(design, colors)];
}

function frameErrors(design: Design, colors: Colors): FieldError[] {
  if (design.frame === 'none') {
    if (design.quietZone >= minQuietZone) return [];
    return [{ field: 'quietZone', message: `must be at least ${minQuietZone} without a frame` }];
  }
  if (design.frameText === null) return [{ field: 'frameText', message: 'is required with a frame' }];
  const text = design.frameTextColor ?? colors.backgroundColor;
  const around = design.frameColor ?? colors.foregroundColor;
  const contrast = contrastOf(luminance(text), luminance(around));
  if (contrast >= minContrast) return [];
  const message = `must differ more from the frame, which is ${around}: ${contrastRule(contrast)}`;
  return [{ field: 'frameTextColor', message }];
}

function contrastRule(contrast: number): string {
  return `the contrast of ${showContrast(contrast)} should be at least ${minContrast}:1`;
}

/** Each color of the symbol must be darker than its background. */
function colorErrors(design: Design, { foregroundColor, backgroundColor }: Colors): FieldError[] {
  const isOnPaper = design.transparentBackground;
  const behind = isOnPaper ? paper : backgroundColor;
  const name = isOnPaper ? 'white paper' : `the background, which is ${behind}`;
  const { gradientColor, eyeFrameColor, eyeBallColor } = design;
  const used = { foregroundColor, gradientColor, eyeFrameColor, eyeBallColor };
  return Object.entries(used).flatMap(([field, color]) => {
    if (color === null) return [];
    const own = field === 'foregroundColor' ? 'of the code ' : '';
    const [light, dark] = [luminance(behind), luminance(color)];
    const contrast = contrastOf(light, dark);
    if (contrast < minContrast)
      return [{ field, message: `${own}must be darker than ${name}: ${contrastRule(contrast)}` }];
    if (dark < light) return [];
    return [{ field, message: `${own}must be darker than ${name}: many phones do not read light on dark` }];
  });
}

/** The lowest contrast of a color of the symbol with what is behind it. */
export function symbolContrast(design: Design, { foregroundColor, backgroundColor }: Colors): number {
  const behind = luminance(design.transparentBackground ? paper : backgroundColor);
  const used = [foregroundColor, design.gradientColor, design.eyeFrameColor, design.eyeBallColor];
  return Math.min(...used.flatMap((color) => (color === null ? [] : [contrastOf(luminance(color), behind)])));
}

/** WCAG 2 contrast ratio, from 1 (equal colors) to 21 (black and white). */
const minContrast = 3;

/** Rounded down: a contrast just below the limit must not look like the limit. */
function showContrast(contrast: number): string {
  return `${(Math.floor(contrast * 10) / 10).toFixed(1)}:1`;
}
