import type { EyeBallShape, EyeFrameShape } from './design.ts';
import { moved, type Path, polygon, rectangle, reversed, roundedRectangle } from './scene.ts';

/** Modules per side of an eye: a frame of one module around a gap of one around a ball of three. */
export const eyeModules = 7;

type Corners = readonly [number, number, number, number];

const all = (radius: number): Corners => [radius, radius, radius, radius];
const leaf = (radius: number): Corners => [radius, 0, radius, 0];

/** In the upper left corner. Rounder ones, circles included, are not found by every reader where the picture is rotated. */
const frames: Record<EyeFrameShape, Path> = {
  square: [...rectangle(0, 0, 7, 7), ...reversed(rectangle(1, 1, 5, 5))],
  rounded: ring(all(1.75), all(0.9)),
  cut: [...octagon(0, 7, 1.1), ...reversed(octagon(1, 5, 0.6))],
  leaf: ring(leaf(1.3), leaf(0.5)),
};

const balls: Record<EyeBallShape, Path> = {
  square: rectangle(2, 2, 3, 3),
  rounded: roundedRectangle(2, 2, 3, 3, all(0.9)),
  circle: roundedRectangle(2, 2, 3, 3, all(1.2)),
  leaf: roundedRectangle(2, 2, 3, 3, leaf(1.2)),
  octagon: octagon(2, 3, 0.8),
};

/** Starts at the same x and y. */
function octagon(start: number, side: number, cut: number): Path {
  const end = start + side;
  return polygon(
    [start + cut, start],
    [end - cut, start],
    [end, start + cut],
    [end, end - cut],
    [end - cut, end],
    [start + cut, end],
    [start, end - cut],
    [start, start + cut],
  );
}

export function eyeFramesPath(modules: number, shape: EyeFrameShape): Path {
  return inThreeCorners(frames[shape], modules);
}

export function eyeBallsPath(modules: number, shape: EyeBallShape): Path {
  return inThreeCorners(balls[shape], modules);
}

function inThreeCorners(path: Path, modules: number): Path {
  const far = modules - eyeModules;
  return [...path, ...moved(path, far, 0), ...moved(path, 0, far)];
}

function ring(outer: Corners, inner: Corners): Path {
  return [...roundedRectangle(0, 0, 7, 7, outer), ...reversed(roundedRectangle(1, 1, 5, 5, inner))];
}

/** The symbol without its eyes, which are drawn apart. */
export function withoutEyes(cells: boolean[][]): boolean[][] {
  const last = cells.length - eyeModules;
  return cells.map((row, y) =>
    row.map((isDark, x) => {
      const isEye = (x < eyeModules || x >= last) && (y < eyeModules || y >= last);
      // There is no eye in the lower right corner.
      return isDark && !(isEye && !(x >= last && y >= last));
    }),
  );
}
