import type { Picture } from './draw.ts';

/** Of the modules: enough to show the colors, too little to be taken for a code that works. */
const veilOpacity = 0.6;

/** The picture of a code that is not there yet, marked so that nobody prints it: faint, and a band across it says so. */
export function markAsSample(svg: string, picture: Picture): string {
  const { size, foregroundColor, backgroundColor } = picture;
  const middle = size / 2;
  const band = size / 4;
  const mark = [
    `<rect width="${size}" height="${size}" fill="${backgroundColor}" fill-opacity="${veilOpacity}"/>`,
    `<g transform="rotate(-30 ${middle} ${middle})">`,
    `<rect x="${-size}" y="${middle - band / 2}" width="${3 * size}" height="${band}" fill="${backgroundColor}"/>`,
    `<text x="${middle}" y="${middle}" fill="${foregroundColor}" font-family="system-ui, sans-serif" font-weight="700"`,
    ` font-size="${band * 0.6}" letter-spacing="${band * 0.1}" text-anchor="middle" dominant-baseline="central">SAMPLE</text></g>`,
  ];
  return svg.replace('</svg>', `${mark.join('')}</svg>`);
}
