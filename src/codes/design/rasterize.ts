import { eachCoveredRow } from './coverage.ts';
import { flatten } from './flatten.ts';
import { readPng } from './pixels-png.ts';
import { resize } from './resize.ts';
import type { Gradient, Paint, Scene, SceneLogo } from './scene.ts';

/** RGBA, 8 bits each, colors not multiplied by alpha. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** Where modules have whole pixels, the coverage of their pixels is full but for rounding errors. */
const fullCoverage = 0.996;

interface Transform {
  scale: number;
  dx: number;
  dy: number;
}

/**
 * Draws the scene in an image of that width. With `wholePixels`, modules have whole pixels where that is possible, so that
 * their edges are sharp; what remains is divided between both sides.
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
  if (scene.logo) placeLogo({ width, height, data }, scene.logo, transform);
  return { width, height, data };
}

function placeLogo(pixels: Pixels, logo: SceneLogo, { scale, dx, dy }: Transform): void {
  const [left, top] = [Math.round(logo.x * scale + dx), Math.round(logo.y * scale + dy)];
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale)));
  const { data, ...size } = resize(readPng(logo.png), width as number, height as number);
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(4 * (y * size.width + x));
      if (alpha > 0)
        blend(
          pixels.data,
          4 * ((top + y) * pixels.width + left + x),
          opaque([red, green, blue]),
          alpha / 255,
        );
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

/** As a word in memory: little-endian, as on every platform of Node. */
function opaque([red, green, blue]: Rgb): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

const steps = 256;

function colorsOf(paint: Paint, transform: Transform): (x: number, y: number) => number {
  if (typeof paint === 'string') {
    const color = opaque(toRgb(paint));
    return () => color;
  }
  const [from, to] = [toRgb(paint.from), toRgb(paint.to)];
  const colors = Uint32Array.from({ length: steps }, (_, step) => {
    const mix = (channel: 0 | 1 | 2) =>
      Math.round(from[channel] + ((to[channel] - from[channel]) * step) / (steps - 1));
    return opaque([mix(0), mix(1), mix(2)]);
  });
  const positionAt = gradientPosition(paint, transform);
  return (x, y) => {
    const position = Math.min(1, Math.max(0, positionAt(x + 0.5, y + 0.5)));
    return colors[Math.round(position * (steps - 1))] as number;
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
