import type { FieldError } from '../../errors.ts';
import { contrastOf, luminance, minContrast, showContrast } from '../contrast.ts';
import type { Picture } from '../image/draw.ts';
import { type Design, minQuietZone } from './design.ts';

type Colors = Pick<Picture, 'foregroundColor' | 'backgroundColor'>;

const paper = '#ffffff';

/** What is wrong with a design without drawing it. `colors` are those of the code. */
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

/** Each color of the symbol must be darker than what is behind it. */
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
