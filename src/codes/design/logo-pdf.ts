import { deflateSync } from 'node:zlib';
import { writeNumber } from './pdf-file.ts';
import { readPng } from './pixels-png.ts';
import type { SceneLogo } from './scene.ts';

/** A logo as a PDF has it: its colors and its alpha apart, each compressed. */
export interface PdfLogo {
  width: number;
  height: number;
  colors: Uint8Array;
  alpha: Uint8Array;
}

export function toPdfLogo(png: Uint8Array): PdfLogo {
  const { width, height, data } = readPng(png);
  const colors = Buffer.alloc(3 * width * height);
  const alpha = Buffer.alloc(width * height);
  for (let pixel = 0; pixel < alpha.length; pixel += 1) {
    colors.set(data.subarray(4 * pixel, 4 * pixel + 3), 3 * pixel);
    alpha[pixel] = data[4 * pixel + 3] as number;
  }
  // Copies: a Buffer may share its memory with others, and cannot be sent from a thread then.
  const compress = (bytes: Buffer) => new Uint8Array(deflateSync(bytes));
  return { width, height, colors: compress(colors), alpha: compress(alpha) };
}

/** Of the stream with the colors, or of the one with the alpha, which the former refers to. */
export function logoDictionary({ width, height }: PdfLogo, mask?: string) {
  return {
    Type: '/XObject',
    Subtype: '/Image',
    Width: width,
    Height: height,
    ColorSpace: mask ? '/DeviceRGB' : '/DeviceGray',
    BitsPerComponent: 8,
    ...(mask && { SMask: mask }),
  };
}

/** Draws it where y points down: an image has its first row at the top. */
export function showLogo({ x, y, width, height }: SceneLogo, name: string): string {
  return `q ${[width, 0, 0, -height, x, y + height].map(writeNumber).join(' ')} cm /${name} Do Q`;
}
