import type { Picture } from '../image/draw.ts';
import { symbolModules } from '../image/symbol.ts';
import { eyeBallsPath, eyeFramesPath, modulesPath, splitAlignment, withoutEyes } from './symbol-shapes.ts';
import type { Design, FrameShape, ModuleShape } from './design.ts';
import {
  moved,
  type Paint,
  type Path,
  polygon,
  rectangle,
  reversed,
  roundedRectangle,
  type Scene,
  type SceneLogo,
  type Shape,
} from './scene.ts';
import { pngSize } from '../image/pixels.ts';

type Look = Pick<Picture, 'foregroundColor' | 'backgroundColor'>;

export async function composeScene(picture: Picture, design: Design): Promise<Scene> {
  const cells = symbolModules(picture.text, picture.errorCorrection);
  const modules = cells.length;
  const side = modules + 2 * design.quietZone;
  const layout = frameLayouts[design.frame](side, design.quietZone);
  const { panel, width, height } = layout;
  const origin = { x: panel.x + design.quietZone, y: panel.y + design.quietZone };
  const inPanel = (path: Path) => moved(path, origin.x, origin.y);
  const { backgroundColor } = picture;
  const isTransparent = design.transparentBackground;
  // Frames with round corners have no background behind them.
  const isEnclosed = design.frame === 'band' || design.frame === 'card';
  const logo = layOutLogo(picture, design, modules);
  const paint = modulePaint(picture, design, origin.x, origin.y, modules);
  const shapes: Shape[] = [
    ...(isEnclosed && !isTransparent ? [{ path: panelPath(panel), paint: backgroundColor }] : []),
    ...(await frame(picture, design, layout)),
    { path: inPanel(symbolPath(withoutLogo(withoutEyes(cells), logo), design.moduleShape)), paint },
    { path: inPanel(eyeFramesPath(modules, design.eyeFrameShape)), paint: design.eyeFrameColor ?? paint },
    { path: inPanel(eyeBallsPath(modules, design.eyeBallShape)), paint: design.eyeBallColor ?? paint },
  ];
  return {
    width,
    height,
    background: isEnclosed || isTransparent ? undefined : backgroundColor,
    shapes,
    logo: logo && { ...logo, x: logo.x + origin.x, y: logo.y + origin.y },
  };
}

/** Readers do not find alignment patterns that are drawn as separate dots or bars. */
function symbolPath(cells: boolean[][], shape: ModuleShape): Path {
  const { alignment, rest } = splitAlignment(cells);
  return [...modulesPath(rest, shape), ...modulesPath(alignment, shape === 'square' ? 'square' : 'rounded')];
}

async function frame(look: Look, design: Design, { path, text }: FrameLayout): Promise<Shape[]> {
  if (design.frame === 'none') return [];
  const shapes: Shape[] = [{ path, paint: design.frameColor ?? look.foregroundColor }];
  if (design.frameText === null) return shapes;
  // Loads the fonts, which most designs do not need.
  const { outlineText } = await import('./text-outline.ts');
  const { path: outline, width, top, bottom } = await outlineText(design.frameText);
  const size = Math.min(text.height, text.width / width, text.maxInk / (bottom - top));
  const letters = moved(outline, text.x - (width * size) / 2, text.y - ((top + bottom) / 2) * size, size);
  return [...shapes, { path: letters, paint: design.frameTextColor ?? look.backgroundColor }];
}

/** The gradient spans the symbol, whatever its angle. */
function modulePaint(look: Look, design: Design, x: number, y: number, modules: number): Paint {
  const { gradientColor, gradientShape: kind, gradientAngle } = design;
  if (gradientColor === null) return look.foregroundColor;
  const half = modules / 2;
  const [centerX, centerY] = [x + half, y + half];
  const colors = { kind, from: look.foregroundColor, to: gradientColor };
  if (kind === 'radial')
    return { ...colors, x1: centerX, y1: centerY, x2: centerX + half * Math.SQRT2, y2: centerY };
  const angle = (gradientAngle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const reach = half * (Math.abs(cos) + Math.abs(sin));
  const [dx, dy] = [cos * reach, sin * reach];
  return { ...colors, x1: centerX - dx, y1: centerY - dy, x2: centerX + dx, y2: centerY + dy };
}

/** A frame around the panel that holds the symbol and its quiet zone, in modules. */
interface FrameLayout {
  width: number;
  height: number;
  panel: { x: number; y: number; side: number; radius: number };
  /** Drawn in the frame color. */
  path: Path;
  /** The center of the text, the size that it has to fit, and how high letters with accents above and below may be. */
  text: { x: number; y: number; width: number; height: number; maxInk: number };
}

const all = (radius: number) => [radius, radius, radius, radius] as const;

export const frameLayouts: Record<FrameShape, (side: number, quietZone: number) => FrameLayout> = {
  none: (side) => ({
    width: side,
    height: side,
    panel: { x: 0, y: 0, side, radius: 0 },
    path: [],
    text: { x: 0, y: 0, width: 0, height: 0, maxInk: 0 },
  }),

  /** A border with a band for the text below. */
  band(side) {
    const border = 1;
    const band = side * 0.2;
    const width = side + 2 * border;
    const height = side + border + band;
    const panel = { x: border, y: border, side, radius: 1 };
    return {
      width,
      height,
      panel,
      path: withHole(roundedRectangle(0, 0, width, height, all(2)), panel),
      text: {
        x: width / 2,
        y: border + side + band / 2,
        width: side * 0.9,
        height: band * 0.55,
        maxInk: band * 0.8,
      },
    };
  },

  /** A speech bubble below the symbol. */
  bubble(side, quietZone) {
    const point = side * 0.05;
    const bubble = side * 0.18;
    const [left, right] = [quietZone / 2, side - quietZone / 2];
    const middle = side / 2;
    const top = side + point - quietZone / 4;
    return {
      width: side,
      height: top + bubble + quietZone / 2,
      panel: { x: 0, y: 0, side, radius: 0 },
      path: [
        ...roundedRectangle(left, top, right - left, bubble, all(bubble * 0.3)),
        // Overlaps the bubble to avoid a seam.
        ...polygon([middle, top - point], [middle + point, top + 0.1], [middle - point, top + 0.1]),
      ],
      text: {
        x: middle,
        y: top + bubble / 2,
        width: (right - left) * 0.9,
        height: bubble * 0.58,
        maxInk: bubble * 0.8,
      },
    };
  },

  /** A card with the text above the symbol. */
  card(side) {
    const margin = side * 0.08;
    const title = side * 0.24;
    const width = side + 2 * margin;
    const panel = { x: margin, y: title, side, radius: side * 0.05 };
    return {
      width,
      height: title + side + margin,
      panel,
      path: withHole(roundedRectangle(0, 0, width, title + side + margin, all(side * 0.09)), panel),
      text: {
        x: width / 2,
        y: title * 0.53,
        width: side * 0.96,
        height: title * 0.48,
        maxInk: title * 0.72,
      },
    };
  },
};

function panelPath({ x, y, side, radius }: FrameLayout['panel']): Path {
  return radius === 0 ? rectangle(x, y, side, side) : roundedRectangle(x, y, side, side, all(radius));
}

function withHole(outline: Path, panel: FrameLayout['panel']): Path {
  return [...outline, ...reversed(panelPath(panel))];
}

/** Minimum gap between the logo and the modules around it, in modules. */
const margin = 0.3;

type Box = Pick<SceneLogo, 'x' | 'y' | 'width' | 'height'>;

/** Centers the logo on the symbol. */
function layOutLogo(
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

/** Removes the modules behind the logo: partly covered, they would be read as noise. */
function withoutLogo(cells: boolean[][], logo: Box | undefined): boolean[][] {
  if (!logo) return cells;
  return cells.map((row, y) => row.map((isDark, x) => isDark && !isBehind(x, y, logo)));
}

/** How many modules in a row a centered logo of this length covers. */
export function coveredModules(modules: number, length: number): number {
  const start = (modules - length) / 2;
  return Math.ceil(start + length + margin) - Math.floor(start - margin);
}

function isBehind(x: number, y: number, logo: Box): boolean {
  const overlaps = (at: number, start: number, length: number) =>
    at + 1 > start - margin && at < start + length + margin;
  return overlaps(x, logo.x, logo.width) && overlaps(y, logo.y, logo.height);
}
