import type { Pixels } from '../image/pixels.ts';

/** Brightness, from 0 for black to 1 for white. */
export interface GrayImage {
  width: number;
  height: number;
  values: Float32Array;
}

/** As a camera that sees no colors, from 0 to 255. */
const lightOf = (red: number, green: number, blue: number) => 0.299 * red + 0.587 * green + 0.114 * blue;

/** Of #RRGGBB, from 0 for black to 1 for white. */
export function brightness(color: string): number {
  const [red, green, blue] = Buffer.from(color.slice(1), 'hex') as unknown as [number, number, number];
  return lightOf(red, green, blue) / 255;
}

/** As printed on white paper, which shows where the picture is transparent. */
export function onPaper({ width, height, data }: Pixels): GrayImage {
  const values = new Float32Array(width * height);
  for (let index = 0; index < values.length; index += 1) {
    const at = 4 * index;
    const light = lightOf(data[at] as number, data[at + 1] as number, data[at + 2] as number);
    const alpha = (data[at + 3] as number) / 255;
    values[index] = 1 - alpha + (alpha * light) / 255;
  }
  return { width, height, values };
}

/** Each value is the mean of four. */
export function halved({ width, height, values }: GrayImage): GrayImage {
  const [newWidth, newHeight] = [width >> 1, height >> 1];
  const result = new Float32Array(newWidth * newHeight);
  for (let y = 0; y < newHeight; y += 1) {
    for (let x = 0; x < newWidth; x += 1) {
      const at = 2 * y * width + 2 * x;
      const upper = (values[at] as number) + (values[at + 1] as number);
      const lower = (values[at + width] as number) + (values[at + width + 1] as number);
      result[y * newWidth + x] = (upper + lower) / 4;
    }
  }
  return { width: newWidth, height: newHeight, values: result };
}

/** The variance of one pass of `averaged` must stay below that of three equal weights. */
const maxPassVariance = 0.5;

/** With that standard deviation, in pixels. What lies at the edge must be of one brightness. */
export function blurred({ width, height, values }: GrayImage, sigma: number): GrayImage {
  const passes = Math.ceil(sigma ** 2 / maxPassVariance);
  const outerWeight = sigma ** 2 / passes / 2;
  let result = values;
  for (let pass = 0; pass < passes; pass += 1) {
    result = averaged(averaged(result, outerWeight, 1), outerWeight, width);
  }
  return { width, height, values: result };
}

/** Each value with the ones that are `step` before and after it. Those without both stay as they are. */
function averaged(values: Float32Array, outerWeight: number, step: number): Float32Array {
  const result = values.slice();
  const innerWeight = 1 - 2 * outerWeight;
  const end = values.length - step;
  for (let index = step; index < end; index += 1) {
    const outer = (values[index - step] as number) + (values[index + step] as number);
    result[index] = innerWeight * (values[index] as number) + outerWeight * outer;
  }
  return result;
}
