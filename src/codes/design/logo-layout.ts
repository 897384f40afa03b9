import type { Picture } from '../image/draw.ts';
import type { Design } from './design.ts';
import { pngSize } from './pixels-png.ts';
import type { SceneLogo } from './scene.ts';

/** Modules between the logo and those that are drawn, at least: they must not touch. */
const margin = 0.3;

type Box = Pick<SceneLogo, 'x' | 'y' | 'width' | 'height'>;

/** In the middle of the symbol, in its modules. Undefined for a design without a logo. */
export function placeLogo(
  { logo: png }: Pick<Picture, 'logo'>,
  { logo: id, logoSize }: Pick<Design, 'logo' | 'logoSize'>,
  modules: number,
): SceneLogo | undefined {
  if (id === null) return undefined;
  if (!png) throw new Error(`The logo ${id} is missing`);
  const size = pngSize(png);
  const scale = (modules * logoSize) / 100 / Math.max(size.width, size.height);
  const [width, height] = [size.width * scale, size.height * scale];
  return { id, png, x: (modules - width) / 2, y: (modules - height) / 2, width, height };
}

/** Without the modules behind the logo: drawn in part, they would be read as noise. */
export function withoutLogo(cells: boolean[][], logo: Box | undefined): boolean[][] {
  if (!logo) return cells;
  return cells.map((row, y) => row.map((isDark, x) => isDark && !isBehind(x, y, logo)));
}

/** How many modules of a line are behind a logo that is centered on it. */
export function coveredModules(modules: number, length: number): number {
  const start = (modules - length) / 2;
  return Math.ceil(start + length + margin) - Math.floor(start - margin);
}

function isBehind(x: number, y: number, logo: Box): boolean {
  const overlaps = (at: number, start: number, length: number) =>
    at + 1 > start - margin && at < start + length + margin;
  return overlaps(x, logo.x, logo.width) && overlaps(y, logo.y, logo.height);
}
