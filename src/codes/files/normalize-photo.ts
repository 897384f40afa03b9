import { encodeJpeg } from '../logo/decode-raster.ts';
import { type Pixels, resize } from '../image/pixels.ts';
import { maxPhotoBytes, photoSide } from './file-limits.ts';
import { readImage } from './normalize-image.ts';

const qualities = [85, 70, 50, 30];

/** The middle of a picture as a small JPEG of our own. */
export async function normalizePhoto(file: Buffer): Promise<Buffer> {
  const { pixels } = await readImage(file);
  const photo = onWhite(resize(pixels, photoSide, photoSide, middle(pixels)));
  for (const quality of qualities) {
    const jpeg = await encodeJpeg(photo, quality);
    if (jpeg.length <= maxPhotoBytes) return jpeg;
  }
  // 256 × 256 pixels of noise have half as much.
  throw new Error('A photo is larger than any can be');
}

/** Heads are rather above the middle. */
const shareAbove = 1 / 3;

function middle({ width, height }: Pixels) {
  const side = Math.min(width, height);
  const left = Math.floor((width - side) / 2);
  const top = Math.floor((height - side) * shareAbove);
  return { left, top, width: side, height: side };
}

/** A JPEG has no transparency. */
function onWhite({ width, height, data }: Pixels): Pixels {
  const opaque = new Uint8ClampedArray(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] as number) / 255;
    for (let channel = 0; channel < 3; channel += 1)
      opaque[at + channel] = 255 + ((data[at + channel] as number) - 255) * alpha;
    opaque[at + 3] = 255;
  }
  return { width, height, data: opaque };
}
