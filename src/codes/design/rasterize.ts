import { type Pixels, readPng, resize } from '../image/pixels.ts';
import type { Gradient, Paint, Path, Scene, SceneLogo } from './scene.ts';

/** Tolerates rounding errors where modules have whole pixels. */
const fullCoverage = 0.996;

interface Transform {
  scale: number;
  dx: number;
  dy: number;
}

/**
 * Draws the scene in an image of that width. `wholePixels` gives modules whole pixels if possible, for sharp edges; the
 * remainder is split between both sides.
 */
export function rasterize(scene: Scene, width: number, { wholePixels = true } = {}): Pixels {
  const exact = width / scene.width;
  const scale = wholePixels ? Math.floor(exact) || exact : exact;
  const height = Math.max(1, Math.round((width * scene.height) / scene.width));
  const transform = {
    scale,
    dx: Math.floor((width - scene.width * scale) / 2),
    dy: Math.floor((height - scene.height * scale) / 2),
  };
  const words = new Uint32Array(width * height);
  const data = new Uint8ClampedArray(words.buffer);
  if (scene.background) words.fill(opaque(toRgb(scene.background)));
  for (const { path, paint, isEvenOdd } of scene.shapes) {
    const colorAt = colorsOf(paint, transform);
    const edges = flatten(path, scale, transform.dx, transform.dy);
    const fillRow = (y: number, from: number, to: number, change: Float32Array) => {
      let covered = 0;
      for (let x = from; x < to; x += 1) {
        covered += change[x] as number;
        if (covered > fullCoverage) words[y * width + x] = colorAt(x, y);
        else if (covered > 1 - fullCoverage) blend(data, 4 * (y * width + x), colorAt(x, y), covered);
      }
    };
    eachCoveredRow(edges, width, height, fillRow, isEvenOdd);
  }
  if (scene.logo) drawLogo({ width, height, data }, scene.logo, transform);
  return { width, height, data };
}

function drawLogo(pixels: Pixels, logo: SceneLogo, { scale, dx, dy }: Transform): void {
  const [left, top] = [Math.round(logo.x * scale + dx), Math.round(logo.y * scale + dy)];
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale)));
  const { data, ...size } = resize(readPng(logo.png), width as number, height as number);
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(4 * (y * size.width + x));
      const at = 4 * ((top + y) * pixels.width + left + x);
      if (alpha > 0) blend(pixels.data, at, opaque([red, green, blue]), alpha / 255);
    }
  }
}

function blend(data: Uint8ClampedArray, at: number, color: number, alpha: number): void {
  const below = ((data[at + 3] as number) / 255) * (1 - alpha);
  const sum = alpha + below;
  for (let channel = 0; channel < 3; channel += 1) {
    const above = (color >>> (8 * channel)) & 255;
    data[at + channel] = (above * alpha + (data[at + channel] as number) * below) / sum;
  }
  data[at + 3] = 255 * sum;
}

/** A little-endian word, as on every platform of Node.js. */
function opaque([red, green, blue]: Rgb): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

const gradientSteps = 256;

function colorsOf(paint: Paint, transform: Transform): (x: number, y: number) => number {
  if (typeof paint === 'string') {
    const color = opaque(toRgb(paint));
    return () => color;
  }
  const [from, to] = [toRgb(paint.from), toRgb(paint.to)];
  const colors = Uint32Array.from({ length: gradientSteps }, (_, step) => {
    const mix = (channel: 0 | 1 | 2) =>
      Math.round(from[channel] + ((to[channel] - from[channel]) * step) / (gradientSteps - 1));
    return opaque([mix(0), mix(1), mix(2)]);
  });
  const positionAt = gradientPosition(paint, transform);
  return (x, y) => {
    const position = Math.min(1, Math.max(0, positionAt(x + 0.5, y + 0.5)));
    return colors[Math.round(position * (gradientSteps - 1))] as number;
  };
}

/** 0 where the gradient starts, 1 where it ends. */
function gradientPosition({ kind, x1, y1, x2, y2 }: Gradient, { scale, dx, dy }: Transform) {
  const [startX, startY] = [x1 * scale + dx, y1 * scale + dy];
  const [spanX, spanY] = [(x2 - x1) * scale, (y2 - y1) * scale];
  const length = Math.hypot(spanX, spanY);
  return kind === 'radial'
    ? (x: number, y: number) => Math.hypot(x - startX, y - startY) / length
    : (x: number, y: number) => ((x - startX) * spanX + (y - startY) * spanY) / length ** 2;
}

type Rgb = readonly [number, number, number];

export function toRgb(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Scan lines per row of pixels. Coverage is exact along a line. */
const linesPerPixel = 4;

/** Summing `change` from the left gives the coverage of each pixel, from 0 to 1. */
type OnRow = (y: number, from: number, to: number, change: Float32Array) => void;

/** Calls `onRow` for each row of pixels that the edges cover at least in part. */
function eachCoveredRow(edges: Edges, width: number, height: number, onRow: OnRow, isEvenOdd = false): void {
  const { points, windings, count } = edges;
  const order = Array.from({ length: count }, (_, index) => index).toSorted(
    (one, other) => (points[4 * one + 1] as number) - (points[4 * other + 1] as number),
  );
  const change = new Float32Array(width + 2);
  const active = new Uint32Array(count);
  const crossings = new Float64Array(count);
  let activeCount = 0;
  let next = 0;
  let [from, to] = [width, 0];

  /** Updates the edges that the line crosses, sorted by x. */
  function findCrossings(lineY: number): void {
    let kept = 0;
    for (let index = 0; index < activeCount; index += 1) {
      const edge = active[index] as number;
      if ((points[4 * edge + 3] as number) > lineY) insert(edge, lineY, kept++);
    }
    for (; next < count; next += 1) {
      const edge = order[next] as number;
      if ((points[4 * edge + 1] as number) > lineY) break;
      if ((points[4 * edge + 3] as number) > lineY) insert(edge, lineY, kept++);
    }
    activeCount = kept;
  }

  /** The order hardly changes from line to line, so an edge moves past few others. */
  function insert(edge: number, lineY: number, end: number): void {
    const at = 4 * edge;
    const [x1, y1] = [points[at] as number, points[at + 1] as number];
    const slope = ((points[at + 2] as number) - x1) / ((points[at + 3] as number) - y1);
    const x = x1 + (lineY - y1) * slope;
    let index = end;
    for (; index > 0 && (crossings[index - 1] as number) > x; index -= 1) {
      crossings[index] = crossings[index - 1] as number;
      active[index] = active[index - 1] as number;
    }
    crossings[index] = x;
    active[index] = edge;
  }

  function addSpan(start: number, end: number): void {
    const [left, right] = [Math.max(0, start), Math.min(width, end)];
    if (right <= left) return;
    addChange(left, 1 / linesPerPixel);
    addChange(right, -1 / linesPerPixel);
    from = Math.min(from, Math.floor(left));
    to = Math.max(to, Math.min(width, Math.floor(right) + 1));
  }

  function addChange(x: number, amount: number): void {
    const pixel = Math.floor(x);
    const part = x - pixel;
    change[pixel] = (change[pixel] as number) + amount * (1 - part);
    change[pixel + 1] = (change[pixel + 1] as number) + amount * part;
  }

  for (let y = 0; y < height && (next < count || activeCount > 0); y += 1) {
    [from, to] = [width, 0];
    for (let line = 0; line < linesPerPixel; line += 1) {
      findCrossings(y + (line + 0.5) / linesPerPixel);
      let winding = 0;
      let start = 0;
      for (let index = 0; index < activeCount; index += 1) {
        const x = crossings[index] as number;
        if (winding === 0) start = x;
        winding = isEvenOdd ? 1 - winding : winding + (windings[active[index] as number] as number);
        if (winding === 0) addSpan(start, x);
      }
    }
    if (to <= from) continue;
    onRow(y, from, to, change);
    change.fill(0, from, to + 2);
  }
}

/** Edges as x1, y1, x2, y2 with y1 < y2. `windings` has 1 or -1 for each. */
interface Edges {
  points: Float64Array;
  windings: Int8Array;
  count: number;
}

/** Maximum distance of a curve from its edges, in pixels. */
const tolerance = 0.1;
const maxSteps = 24;

/** Turns a path into straight edges in pixels. Horizontal lines enclose nothing and are left out. */
function flatten(path: Path, scale: number, dx: number, dy: number): Edges {
  const points: number[] = [];
  const windings: number[] = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];

  function lineTo(toX: number, toY: number): void {
    if (y < toY) {
      points.push(x, y, toX, toY);
      windings.push(1);
    } else if (y > toY) {
      points.push(toX, toY, x, y);
      windings.push(-1);
    }
    [x, y] = [toX, toY];
  }

  for (const segment of path) {
    switch (segment[0]) {
      case 'M':
        lineTo(startX, startY);
        [x, y] = [segment[1] * scale + dx, segment[2] * scale + dy];
        [startX, startY] = [x, y];
        break;
      case 'L':
        lineTo(segment[1] * scale + dx, segment[2] * scale + dy);
        break;
      case 'C': {
        const [, a, b, c, d, e, f] = segment;
        const [x1, y1, x2, y2] = [a * scale + dx, b * scale + dy, c * scale + dx, d * scale + dy];
        const [x3, y3] = [e * scale + dx, f * scale + dy];
        const bend =
          Math.hypot(x - 2 * x1 + x2, y - 2 * y1 + y2) + Math.hypot(x1 - 2 * x2 + x3, y1 - 2 * y2 + y3);
        const steps = Math.min(maxSteps, Math.max(1, Math.ceil(Math.sqrt(bend / (2 * tolerance)))));
        const [x0, y0] = [x, y];
        for (let step = 1; step <= steps; step += 1) {
          const t = step / steps;
          const u = 1 - t;
          const [p0, p1, p2, p3] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
          lineTo(p0 * x0 + p1 * x1 + p2 * x2 + p3 * x3, p0 * y0 + p1 * y1 + p2 * y2 + p3 * y3);
        }
        break;
      }
      case 'Z':
        lineTo(startX, startY);
    }
  }
  lineTo(startX, startY);
  return { points: Float64Array.from(points), windings: Int8Array.from(windings), count: windings.length };
}
