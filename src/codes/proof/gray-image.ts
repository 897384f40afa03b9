import type { Pixels } from '../design/rasterize.ts';

/** Brightness, from 0 for black to 1 for white. */
export interface GrayImage {
  width: number;
  height: number;
  values: Float32Array;
}

/** As printed on white paper, which shows where the picture is transparent. */
export function onPaper({ width, height, data }: Pixels): GrayImage {
  const values = new Float32Array(width * height);
  for (let index = 0; index < values.length; index += 1) {
    const at = 4 * index;
    const light =
      0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number);
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

/** By a Gaussian of that standard deviation, in pixels. */
export function blurred({ width, height, values }: GrayImage, sigma: number): GrayImage {
  const reach = Math.ceil(2.5 * sigma);
  const weights = Float32Array.from({ length: 2 * reach + 1 }, (_, index) =>
    Math.exp(-((index - reach) ** 2) / (2 * sigma * sigma)),
  );
  const sum = weights.reduce((total, weight) => total + weight);
  const kernel = weights.map((weight) => weight / sum);
  const rows = convolve(values, width, height, 1, width, kernel);
  return { width, height, values: convolve(rows, height, width, width, 1, kernel) };
}

/** Along lines of `length` values that are `step` apart; the lines are `lineStep` apart. */
function convolve(
  values: Float32Array,
  length: number,
  lines: number,
  step: number,
  lineStep: number,
  kernel: Float32Array,
): Float32Array {
  const result = new Float32Array(values.length);
  const reach = kernel.length >> 1;
  for (let line = 0; line < lines; line += 1) {
    const start = line * lineStep;
    for (let index = 0; index < length; index += 1) {
      let sum = 0;
      for (let offset = -reach; offset <= reach; offset += 1) {
        const at = Math.min(length - 1, Math.max(0, index + offset));
        sum += (values[start + at * step] as number) * (kernel[offset + reach] as number);
      }
      result[start + index * step] = sum;
    }
  }
  return result;
}
