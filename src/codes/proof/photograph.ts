import { composeScene } from '../design/compose.ts';
import { defaultDesign } from '../design/design.ts';
import { rasterize } from '../design/rasterize.ts';
import type { Picture } from '../image/draw.ts';
import { type ProvenSizeMm, provenSizesMm } from './proof.ts';
import type { Pixels } from '../image/pixels.ts';

/** A phone that films 1920 pixels across an angle of 65 degrees sees this many of a millimeter that is 15 cm away. */
export const pixelsPerMm = 10;

export interface ProofCondition extends Conditions {
  /** Of the three frames of a film, how many each reader must read. */
  framesToRead: 2 | 3;
}

const blurry: ProofCondition = {
  blur: 0.95,
  rotationDegrees: 2,
  contrast: 1,
  spot: 0,
  framesToRead: 2,
};
const askewAndPale: ProofCondition = {
  blur: 0.3,
  rotationDegrees: -35,
  contrast: 0.4,
  spot: 0,
  framesToRead: 2,
};
/** Not blurry: dots are hardest to read where no blur joins them. What one frame hides, the next one shows, but not dirt. */
const rotatedAndDirty: ProofCondition = {
  blur: 0,
  rotationDegrees: 16,
  contrast: 0.9,
  spot: 0.08,
  framesToRead: 3,
};
const conditions = [blurry, askewAndPale, rotatedAndDirty];

/** Where colors differ, pale print is read at some angles and not at others. */
const conditionsOfUnevenColors = [
  blurry,
  rotatedAndDirty,
  ...[askewAndPale.rotationDegrees, 4].map(
    (rotationDegrees): ProofCondition => ({ ...askewAndPale, rotationDegrees, framesToRead: 3 }),
  ),
];

/** How far the lightest color of the modules may be from the darkest, on its way to the background, to count as alike. */
const alikePart = 0.25;

const drawnPixels = 1.5 * pixelsPerMm * provenSizesMm[0];

/** The printed picture, drawn when it is first photographed. */
export interface PrintedPicture {
  /** In which it must be read. */
  conditions: ProofCondition[];
  /** The width of a module when the picture is printed at that size. */
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
    conditions: hasUnevenColors(picture) ? conditionsOfUnevenColors : conditions,
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

/** What happens to a picture between the file and the camera. */
export interface Conditions {
  /** Of the lens and the hand: the standard deviation in pixels of the photograph. */
  blur: number;
  rotationDegrees: number;
  /** How much of the range between black and white remains. */
  contrast: number;
  /** The diameter of a dark spot, in parts of the width of the picture. */
  spot: number;
}

/** Paper around the picture, in parts of its width. */
const marginPart = 0.06;
const paper = 0.96;
const spotBrightness = 0.35;
/** In parts of the width and the height: beside the center, where a logo is, and away from the eyes. */
const spotPlace = { x: 0.62, y: 0.6 };

/** The picture as a camera sees it, `pixels` wide. The picture must have at least one and a half times as many. */
export function photograph(picture: GrayImage, pixels: number, conditions: Conditions): GrayImage {
  const { blur, rotationDegrees, contrast, spot } = conditions;
  let source = spot > 0 ? withSpot(picture, spot) : picture;
  // A sensor averages the light of each pixel. Samples of a much larger picture would miss most of it.
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

/** Between four values; paper outside. */
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
  const [centerX, centerY] = [spotPlace.x * width, spotPlace.y * height];
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
