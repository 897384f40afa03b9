import type { Picture } from './draw.ts';

/** Light enough to show the colors, strong enough that nobody takes it for a working code. */
const overlayOpacity = 0.6;

/** The preview of a code that does not exist yet: faded, with a band across it, so that nobody prints it. */
export function markAsSample(svg: string, picture: Picture): string {
  const { size, foregroundColor, backgroundColor } = picture;
  const middle = size / 2;
  const band = size / 4;
  const mark = [
    `<rect width="${size}" height="${size}" fill="${backgroundColor}" fill-opacity="${overlayOpacity}"/>`,
    `<g transform="rotate(-30 ${middle} ${middle})">`,
    `<rect x="${-size}" y="${middle - band / 2}" width="${3 * size}" height="${band}" fill="${backgroundColor}"/>`,
    `<text x="${middle}" y="${middle}" fill="${foregroundColor}" font-family="system-ui, sans-serif" font-weight="700"`,
    ` font-size="${band * 0.6}" letter-spacing="${band * 0.1}" text-anchor="middle" dominant-baseline="central">SAMPLE</text></g>`,
  ];
  return svg.replace('</svg>', `${mark.join('')}</svg>`);
}
