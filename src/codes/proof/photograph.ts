import { blurred, type GrayImage, halved } from './gray-image.ts';

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
