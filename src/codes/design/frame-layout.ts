import type { FrameShape } from './design.ts';
import { type Path, polygon, rectangle, reversed, roundedRectangle } from './scene.ts';

/** A frame around the panel that holds the symbol and its quiet zone. In modules. */
export interface FrameLayout {
  width: number;
  height: number;
  panel: { x: number; y: number; side: number; radius: number };
  /** In the color of the frame. */
  path: Path;
  /** Where the text is centered, and what it has to fit into. */
  text: { x: number; y: number; width: number; height: number };
}

const all = (radius: number) => [radius, radius, radius, radius] as const;

export const frameLayouts: Record<FrameShape, (side: number, quietZone: number) => FrameLayout> = {
  none: (side) => ({
    width: side,
    height: side,
    panel: { x: 0, y: 0, side, radius: 0 },
    path: [],
    text: { x: 0, y: 0, width: 0, height: 0 },
  }),

  /** A border, with a band for the text below. */
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
      text: { x: width / 2, y: border + side + band / 2, width: side * 0.9, height: band * 0.55 },
    };
  },

  /** A speech bubble below, which points at the symbol. */
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
        // Reaches into the bubble, so that no seam shows.
        ...polygon([middle, top - point], [middle + point, top + 0.1], [middle - point, top + 0.1]),
      ],
      text: { x: middle, y: top + bubble / 2, width: (right - left) * 0.9, height: bubble * 0.58 },
    };
  },

  /** A card around the symbol, with the text above it. */
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
      text: { x: width / 2, y: title * 0.53, width: side * 0.96, height: title * 0.48 },
    };
  },
};

export function panelPath({ x, y, side, radius }: FrameLayout['panel']): Path {
  return radius === 0 ? rectangle(x, y, side, side) : roundedRectangle(x, y, side, side, all(radius));
}

function withHole(outline: Path, panel: FrameLayout['panel']): Path {
  return [...outline, ...reversed(panelPath(panel))];
}
