import { composeScene } from '../design/compose.ts';
import { defaultDesign, defaultPrint, isDefaultDesign } from '../design/design.ts';
import { sceneToPdf } from '../design/pdf.ts';
import { rasterize } from '../design/rasterize.ts';
import type { Gradient, Paint, Path, Scene, SceneLogo } from '../design/scene.ts';
import { drawPng, drawSvg, escapeXml, type Picture } from './draw.ts';
import { pixelsToPng } from './pixels.ts';

export type ImageFormat = 'svg' | 'png' | 'pdf';

export async function drawPicture(picture: Picture, format: ImageFormat): Promise<Uint8Array> {
  const { design = defaultDesign, size, print = defaultPrint } = picture;
  if (format !== 'pdf' && isDefaultDesign(design))
    return format === 'svg' ? Buffer.from(drawSvg(picture)) : drawPng(picture);
  const scene = await composeScene(picture, design);
  switch (format) {
    case 'svg':
      return Buffer.from(sceneToSvg(scene, size));
    case 'png':
      return pixelsToPng(rasterize(scene, size));
    case 'pdf':
      return sceneToPdf(scene, print);
  }
}

/** Hundredths of a module: finer than any printer. */
const precision = 100;

/** Colors are attributes, because a CSP may forbid inline styles. */
export function sceneToSvg(scene: Scene, size: number): string {
  const [width, height] = [scene.width, scene.height].map(shorten);
  const gradients = [...new Set(scene.shapes.map(({ paint }) => paint))].filter(
    (paint): paint is Gradient => typeof paint !== 'string',
  );
  const fill = (paint: Paint) =>
    typeof paint === 'string' ? escapeXml(paint) : `url(#gradient${gradients.indexOf(paint)})`;
  const pixelHeight = Math.round((size * scene.height) / scene.width);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${pixelHeight}" viewBox="0 0 ${width} ${height}"`,
    ' role="img" aria-label="QR code">',
    scene.background
      ? `<rect width="${width}" height="${height}" fill="${escapeXml(scene.background)}"/>`
      : '',
    ...gradients.map((gradient, index) => gradientElement(gradient, `gradient${index}`)),
    ...scene.shapes.map(({ path, paint }) => `<path fill="${fill(paint)}" d="${pathData(path)}"/>`),
    scene.logo ? logoElement(scene.logo) : '',
    '</svg>\n',
  ].join('');
}

/** `xlink:href` is the older attribute, which every program knows. */
function logoElement({ png, x, y, width, height }: SceneLogo): string {
  const box = `x="${shorten(x)}" y="${shorten(y)}" width="${shorten(width)}" height="${shorten(height)}"`;
  const data = Buffer.from(png).toString('base64');
  return `<image xmlns:xlink="http://www.w3.org/1999/xlink" ${box} preserveAspectRatio="none" xlink:href="data:image/png;base64,${data}"/>`;
}

function gradientElement({ kind, from, to, x1, y1, x2, y2 }: Gradient, id: string): string {
  const stops = `<stop stop-color="${escapeXml(from)}"/><stop offset="1" stop-color="${escapeXml(to)}"/>`;
  const units = `id="${id}" gradientUnits="userSpaceOnUse"`;
  return kind === 'linear'
    ? `<linearGradient ${units} x1="${shorten(x1)}" y1="${shorten(y1)}" x2="${shorten(x2)}" y2="${shorten(y2)}">${stops}</linearGradient>`
    : `<radialGradient ${units} cx="${shorten(x1)}" cy="${shorten(y1)}" r="${shorten(Math.hypot(x2 - x1, y2 - y1))}">${stops}</radialGradient>`;
}

function shorten(value: number): string {
  return String(Math.round(value * precision) / precision);
}

/** Relative to the rounded position, so that rounding errors do not add up. */
function pathData(path: Path): string {
  let data = '';
  let [x, y] = [0, 0];
  let [startX, startY] = [0, 0];
  for (const segment of path) {
    if (segment[0] === 'Z') {
      data += 'z';
      [x, y] = [startX, startY];
      continue;
    }
    const [kind, ...numbers] = segment;
    const rounded = numbers.map((value) => Math.round(value * precision));
    const [toX = 0, toY = 0] = rounded.slice(-2);
    const steps = rounded.map((value, index) => value - (index % 2 === 0 ? x : y));
    if (kind === 'L' && steps[0] === 0) data += `v${join([steps[1] ?? 0])}`;
    else if (kind === 'L' && steps[1] === 0) data += `h${join([steps[0] ?? 0])}`;
    else data += kind.toLowerCase() + join(steps);
    [x, y] = [toX, toY];
    if (kind === 'M') [startX, startY] = [x, y];
  }
  return data;
}

/** `.5-.25` instead of `0.5 -0.25`. */
function join(hundredths: number[]): string {
  let text = '';
  for (const value of hundredths) {
    const number = String(value / precision).replace(/^(-?)0\./, '$1.');
    text += text === '' || number.startsWith('-') ? number : ` ${number}`;
  }
  return text;
}
