import { composeScene } from '../design/compose.ts';
import { defaultDesign } from '../design/design.ts';
import { rasterize } from '../design/rasterize.ts';
import type { Picture } from '../image/draw.ts';
import { type ProvenSizeMm, provenSizesMm } from './proof.ts';
import type { Pixels } from '../image/pixels.ts';

/** Resolution at 15 cm of a phone that films 1920 pixels across 65 degrees. */
export const pixelsPerMm = 10;

interface ProofCondition extends Conditions {
  /** How many of the three frames each reader must read. */
  framesToRead: 2 | 3;
}

const blurry: ProofCondition = { blur: 0.95, rotationDegrees: 2, contrast: 1, spot: 0, framesToRead: 2 };
const askewAndPale: ProofCondition = {
  blur: 0.3,
  rotationDegrees: -35,
  contrast: 0.4,
  spot: 0,
  framesToRead: 2,
};
/** Sharp, because dots are hardest to read without blur. Dirt is in every frame, so all three must be read. */
const rotatedAndDirty: ProofCondition = {
  blur: 0,
  rotationDegrees: 16,
  contrast: 0.9,
  spot: 0.08,
  framesToRead: 3,
};
const usualConditions = [blurry, askewAndPale, rotatedAndDirty];

/** With uneven colors, reading pale print depends on the angle. */
const conditionsOfUnevenColors = [
  blurry,
  rotatedAndDirty,
  ...[askewAndPale.rotationDegrees, 4].map(
    (rotationDegrees): ProofCondition => ({ ...askewAndPale, rotationDegrees, framesToRead: 3 }),
  ),
];

/** Colors are even if they differ by less than this share of the contrast to the background. */
const alikePart = 0.25;

const drawnPixels = 1.5 * pixelsPerMm * provenSizesMm[0];

/** Drawn when it is first photographed. */
export interface PrintedPicture {
  /** Conditions in which it must be read. */
  conditions: ProofCondition[];
  moduleMm(sizeMm: ProvenSizeMm): number;
  photo(sizeMm: ProvenSizeMm, condition: Conditions): GrayImage;
}

export async function printPicture(picture: Picture): Promise<PrintedPicture> {
  const scene = await composeScene(picture, picture.design ?? defaultDesign);
  let drawn: { large: GrayImage; small: GrayImage } | undefined;
  function draw() {
    const large = onPaper(rasterize(scene, drawnPixels, { wholePixels: false }));
    return { large, small: halved(large) };
  }
  return {
    conditions: hasUnevenColors(picture) ? conditionsOfUnevenColors : usualConditions,
    moduleMm: (sizeMm) => sizeMm / scene.width,
    photo(sizeMm, condition) {
      drawn ??= draw();
      const pixels = sizeMm * pixelsPerMm;
      return photograph(drawn.small.width >= 1.5 * pixels ? drawn.small : drawn.large, pixels, condition);
    },
  };
}

function hasUnevenColors({ foregroundColor, backgroundColor, design = defaultDesign }: Picture): boolean {
  const { gradientColor, eyeFrameColor, eyeBallColor } = design;
  const used = [foregroundColor, gradientColor, eyeFrameColor, eyeBallColor].filter(
    (color) => color !== null,
  );
  const behind = design.transparentBackground ? 1 : brightness(backgroundColor);
  const dark = used.map(brightness);
  const darkest = Math.min(...dark);
  return Math.max(...dark) - darkest > alikePart * (behind - darkest);
}

export interface Conditions {
  /** Blur by lens and hand: standard deviation in pixels. */
  blur: number;
  rotationDegrees: number;
  /** Remaining share of the range from black to white. */
  contrast: number;
  /** Diameter of a dark spot, relative to the picture's width. */
  spot: number;
}

/** Paper around the picture, relative to its width. */
const marginPart = 0.06;
const paper = 0.96;
const spotBrightness = 0.35;
/** Relative to width and height: beside a centered logo and away from the eyes. */
const spotCenter = { x: 0.62, y: 0.6 };

/** The picture as a camera sees it, `pixels` wide. The source must be at least 1.5 times as wide. */
export function photograph(picture: GrayImage, pixels: number, conditions: Conditions): GrayImage {
  const { blur, rotationDegrees, contrast, spot } = conditions;
  let source = spot > 0 ? withSpot(picture, spot) : picture;
  // A sensor averages the light of each pixel; sampling a much larger picture would miss most of it.
  while (source.width >= 3 * pixels) source = halved(source);
  const scale = source.width / pixels;
  const ownHeight = source.height / scale;
  const angle = (rotationDegrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const margin = 2 * marginPart * pixels;
  const width = Math.ceil(Math.abs(pixels * cos) + Math.abs(ownHeight * sin) + margin);
  const height = Math.ceil(Math.abs(pixels * sin) + Math.abs(ownHeight * cos) + margin);
  const values = new Float32Array(width * height);
  const darkest = ((1 - contrast) * paper) / 2;
  const stepX = cos * scale;
  const stepY = -sin * scale;
  const fromX = 0.5 - width / 2;
  for (let y = 0; y < height; y += 1) {
    const fromY = y + 0.5 - height / 2;
    let sourceX = (fromX * cos + fromY * sin) * scale + source.width / 2 - 0.5;
    let sourceY = (fromY * cos - fromX * sin) * scale + source.height / 2 - 0.5;
    for (let at = y * width; at < (y + 1) * width; at += 1) {
      values[at] =
        darkest + contrast * paper * sample(source.values, source.width, source.height, sourceX, sourceY);
      sourceX += stepX;
      sourceY += stepY;
    }
  }
  const photo = { width, height, values };
  return blur > 0 ? blurred(photo, blur) : photo;
}

/** Bilinear; white outside the picture. */
function sample(values: Float32Array, width: number, height: number, x: number, y: number): number {
  if (x < 0 || y < 0 || x >= width - 1 || y >= height - 1) return 1;
  const left = Math.floor(x);
  const top = Math.floor(y);
  const dx = x - left;
  const at = top * width + left;
  const upper = (values[at] as number) * (1 - dx) + (values[at + 1] as number) * dx;
  const lower = (values[at + width] as number) * (1 - dx) + (values[at + width + 1] as number) * dx;
  return upper + (lower - upper) * (y - top);
}

function withSpot({ width, height, values }: GrayImage, diameter: number): GrayImage {
  const dirty = values.slice();
  const radius = (diameter * width) / 2;
  const [centerX, centerY] = [spotCenter.x * width, spotCenter.y * height];
  for (let y = Math.floor(centerY - radius); y <= centerY + radius; y += 1) {
    for (let x = Math.floor(centerX - radius); x <= centerX + radius; x += 1) {
      if (Math.hypot(x - centerX, y - centerY) <= radius) dirty[y * width + x] = spotBrightness;
    }
  }
  return { width, height, values: dirty };
}

/** Brightness, from 0 for black to 1 for white. */
export interface GrayImage {
  width: number;
  height: number;
  values: Float32Array;
}

/** Luma, from 0 to 255. */
const lightOf = (red: number, green: number, blue: number) => 0.299 * red + 0.587 * green + 0.114 * blue;

function brightness(color: string): number {
  const [red, green, blue] = Buffer.from(color.slice(1), 'hex') as unknown as [number, number, number];
  return lightOf(red, green, blue) / 255;
}

/** Printed on white paper, which shows through transparent pixels. */
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

function halved({ width, height, values }: GrayImage): GrayImage {
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

/** Variance of one pass of `averaged`. Three equal weights have 2/3. */
const maxPassVariance = 0.5;

/** Approximates a Gaussian blur. Edges stay as they are, so the margin must be uniform. */
function blurred({ width, height, values }: GrayImage, sigma: number): GrayImage {
  const passes = Math.ceil(sigma ** 2 / maxPassVariance);
  const outerWeight = sigma ** 2 / passes / 2;
  let result = values;
  for (let pass = 0; pass < passes; pass += 1) {
    result = averaged(averaged(result, outerWeight, 1), outerWeight, width);
  }
  return { width, height, values: result };
}

/** Averages each value with its neighbors at a distance of `step`. */
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
