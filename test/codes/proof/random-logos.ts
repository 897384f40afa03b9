import * as fc from 'fast-check';
import { pixelsToPng } from '../../../src/codes/image/pixels.ts';

const longSide = 64;
const block = 8;

/** Blocks of any colors: as hard to tell from modules as a logo can be. Some are transparent. */
const blocks = fc
  .array(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.constantFrom(0, 255, 255)), {
    minLength: (longSide / block) ** 2,
    maxLength: (longSide / block) ** 2,
  })
  .map((colors) => (x: number, y: number) => {
    const column = Math.floor(x / block);
    const row = Math.floor(y / block);
    return colors[row * (longSide / block) + column] as Pixel;
  });

/** One color, opaque or round on nothing. */
const plain = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.boolean())
  .map(([red, green, blue, isRound]) => (x: number, y: number, width: number, height: number): Pixel => {
    const isOutside = ((2 * x) / width - 1) ** 2 + ((2 * y) / height - 1) ** 2 > 1;
    return [red, green, blue, isRound && isOutside ? 0 : 255];
  });

type Pixel = [red: number, green: number, blue: number, alpha: number];

/** PNGs of logos: square, wide or high. */
export const logos: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.constantFrom([1, 1], [1, 0.4], [0.4, 1]), fc.oneof(blocks, plain))
  .map(([sides, colorAt]) => {
    const [width, height] = sides.map((side) => Math.round(side * longSide)) as [number, number];
    const data = new Uint8ClampedArray(4 * width * height);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) data.set(colorAt(x, y, width, height), 4 * (y * width + x));
    }
    return pixelsToPng({ width, height, data });
  });
