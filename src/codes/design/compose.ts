import type { Picture } from '../image/draw.ts';
import { symbolModules } from '../image/symbol.ts';
import { splitAlignment } from './alignment.ts';
import type { Design, ModuleShape } from './design.ts';
import { eyeBallsPath, eyeFramesPath, withoutEyes } from './eye-paths.ts';
import { type FrameLayout, frameLayouts, panelPath } from './frame-layout.ts';
import { placeLogo, withoutLogo } from './logo-layout.ts';
import { modulesPath } from './module-paths.ts';
import { moved, type Paint, type Path, type Scene, type Shape } from './scene.ts';

type Look = Pick<Picture, 'foregroundColor' | 'backgroundColor'>;

/** The picture of a code in its design, as shapes. */
export async function composeScene(picture: Picture, design: Design): Promise<Scene> {
  const cells = symbolModules(picture.text, picture.errorCorrection);
  const modules = cells.length;
  const side = modules + 2 * design.quietZone;
  const layout = frameLayouts[design.frame](side, design.quietZone);
  const { panel, width, height } = layout;
  const origin = { x: panel.x + design.quietZone, y: panel.y + design.quietZone };
  const place = (path: Path) => moved(path, origin.x, origin.y);
  const { backgroundColor } = picture;
  const isTransparent = design.transparentBackground;
  // These frames have round corners, and nothing behind them.
  const isEnclosed = design.frame === 'band' || design.frame === 'card';
  const logo = placeLogo(picture, design, modules);
  const paint = modulePaint(picture, design, origin.x, origin.y, modules);
  const shapes: Shape[] = [
    ...(isEnclosed && !isTransparent ? [{ path: panelPath(panel), paint: backgroundColor }] : []),
    ...(await frame(picture, design, layout)),
    { path: place(symbolPath(withoutLogo(withoutEyes(cells), logo), design.moduleShape)), paint },
    {
      path: place(eyeFramesPath(modules, design.eyeFrameShape)),
      paint: design.eyeFrameColor ?? paint,
    },
    { path: place(eyeBallsPath(modules, design.eyeBallShape)), paint: design.eyeBallColor ?? paint },
  ];
  return {
    width,
    height,
    background: isEnclosed || isTransparent ? undefined : backgroundColor,
    shapes,
    logo: logo && { ...logo, x: logo.x + origin.x, y: logo.y + origin.y },
  };
}

/** Readers correct the position of modules by the alignment patterns, which they do not find in pieces. */
function symbolPath(cells: boolean[][], shape: ModuleShape): Path {
  const { alignment, rest } = splitAlignment(cells);
  return [...modulesPath(rest, shape), ...modulesPath(alignment, shape === 'square' ? 'square' : 'rounded')];
}

async function frame(look: Look, design: Design, { path, text }: FrameLayout): Promise<Shape[]> {
  if (design.frame === 'none') return [];
  const shapes: Shape[] = [{ path, paint: design.frameColor ?? look.foregroundColor }];
  if (design.frameText === null) return shapes;
  // Loaded when first needed: most designs have no text.
  const { outlineText } = await import('./text-outline.ts');
  const outline = outlineText(design.frameText);
  const size = Math.min(text.height, text.width / outline.width);
  // Capital letters are about 0.7 of the font size: centered by them, the text looks centered.
  const letters = moved(outline.path, text.x - (outline.width * size) / 2, text.y + 0.36 * size, size);
  return [...shapes, { path: letters, paint: design.frameTextColor ?? look.backgroundColor }];
}

/** The gradient spans the symbol, whatever its angle. */
function modulePaint(look: Look, design: Design, x: number, y: number, modules: number): Paint {
  const { gradientColor, gradientShape, gradientAngle } = design;
  if (gradientColor === null) return look.foregroundColor;
  const half = modules / 2;
  const [centerX, centerY] = [x + half, y + half];
  const from = look.foregroundColor;
  if (gradientShape === 'radial') {
    const radius = half * Math.SQRT2;
    return {
      kind: 'radial',
      from,
      to: gradientColor,
      x1: centerX,
      y1: centerY,
      x2: centerX + radius,
      y2: centerY,
    };
  }
  const angle = (gradientAngle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const reach = half * (Math.abs(cos) + Math.abs(sin));
  return {
    kind: 'linear',
    from,
    to: gradientColor,
    x1: centerX - cos * reach,
    y1: centerY - sin * reach,
    x2: centerX + cos * reach,
    y2: centerY + sin * reach,
  };
}
