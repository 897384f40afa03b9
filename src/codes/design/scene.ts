/** A picture in any format: filled paths in modules, with y pointing down. */
export interface Scene {
  width: number;
  height: number;
  /** Also fills margins that a format adds. Transparent if absent. */
  background?: string | undefined;
  /** Painted in this order. */
  shapes: Shape[];
  /** Drawn above the shapes. */
  logo?: SceneLogo | undefined;
}

export interface Shape {
  path: Path;
  paint: Paint;
  /** Fill rule of uploaded SVG files, which are only rasterized. Nonzero otherwise. */
  isEvenOdd?: boolean;
}

export interface SceneLogo {
  id: string;
  /** Written by `pixelsToPng`. */
  png: Uint8Array;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** #RRGGBB, or a gradient. */
export type Paint = string | Gradient;

export interface Gradient {
  kind: 'linear' | 'radial';
  from: string;
  to: string;
  /** Start, or the center of a radial gradient. */
  x1: number;
  y1: number;
  /** End, or a point on the edge of a radial gradient. */
  x2: number;
  y2: number;
}

export type Segment =
  | ['M', number, number]
  | ['L', number, number]
  | ['C', number, number, number, number, number, number]
  | ['Z'];

export type Path = Segment[];

/** Control point distance of four cubic curves that form a unit circle. */
const kappa = 0.5523;

/** Clockwise; the radii start with the upper left corner. */
export function roundedRectangle(
  x: number,
  y: number,
  width: number,
  height: number,
  [tl, tr, br, bl]: readonly [number, number, number, number],
): Path {
  const [right, bottom] = [x + width, y + height];
  const path: Path = [
    ['M', x + tl, y],
    ['L', right - tr, y],
  ];
  const corner = (
    radius: number,
    x1: number,
    y1: number,
    x2: number,
    y2: number,
    toX: number,
    toY: number,
  ) => {
    if (radius > 0) path.push(['C', x1, y1, x2, y2, toX, toY]);
  };
  const rest = 1 - kappa;
  corner(tr, right - tr * rest, y, right, y + tr * rest, right, y + tr);
  path.push(['L', right, bottom - br]);
  corner(br, right, bottom - br * rest, right - br * rest, bottom, right - br, bottom);
  path.push(['L', x + bl, bottom]);
  corner(bl, x + bl * rest, bottom, x, bottom - bl * rest, x, bottom - bl);
  path.push(['L', x, y + tl]);
  corner(tl, x, y + tl * rest, x + tl * rest, y, x + tl, y);
  path.push(['Z']);
  return path;
}

export function rectangle(x: number, y: number, width: number, height: number): Path {
  return polygon([x, y], [x + width, y], [x + width, y + height], [x, y + height]);
}

export function circle(x: number, y: number, radius: number): Path {
  const [left, right, top, bottom] = [x - radius, x + radius, y - radius, y + radius];
  const reach = radius * kappa;
  return [
    ['M', x, top],
    ['C', x + reach, top, right, y - reach, right, y],
    ['C', right, y + reach, x + reach, bottom, x, bottom],
    ['C', x - reach, bottom, left, y + reach, left, y],
    ['C', left, y - reach, x - reach, top, x, top],
    ['Z'],
  ];
}

export function polygon(first: [number, number], ...others: [number, number][]): Path {
  return [['M', ...first], ...others.map((point): Segment => ['L', ...point]), ['Z']];
}

/** Reverses a closed path, so that it cuts a hole into a shape around it. */
export function reversed(path: Path): Path {
  const points: [number, number][] = [];
  for (const segment of path) {
    if (segment[0] !== 'Z') points.push(segment.slice(-2) as [number, number]);
  }
  const result: Path = [['M', ...(points.at(-1) as [number, number])]];
  for (let index = points.length - 1; index > 0; index -= 1) {
    const segment = path[index] as Segment;
    const to = points[index - 1] as [number, number];
    result.push(
      segment[0] === 'C' ? ['C', segment[3], segment[4], segment[1], segment[2], ...to] : ['L', ...to],
    );
  }
  result.push(['Z']);
  return result;
}

export function moved(path: Path, dx: number, dy: number, scale = 1): Path {
  return path.map(
    ([kind, ...numbers]) =>
      [kind, ...numbers.map((value, index) => value * scale + (index % 2 === 0 ? dx : dy))] as Segment,
  );
}
