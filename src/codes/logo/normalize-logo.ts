import { type Pixels, pixelsToPng, resize } from '../image/pixels.ts';
import { rasterize } from '../design/rasterize.ts';
import { decodeRaster } from './decode-raster.ts';
import { readImageHeader } from './image-header.ts';
import { ImageError, storedLogoSide } from './logo-limits.ts';
import { looksLikeSvg, parseSvg } from './parse-svg.ts';

/** What is left of an uploaded file: its pixels as a PNG of our own. Throws a ImageError for what is no logo. */
export async function normalizeLogo(file: Buffer): Promise<Buffer> {
  const pixels = await readPixels(file);
  const { data } = pixels;
  let isVisible = false;
  for (let at = 3; at < data.length && !isVisible; at += 4) isVisible = data[at] !== 0;
  if (!isVisible) throw new ImageError('is empty: nothing of it would be seen');
  return pixelsToPng(pixels);
}

async function readPixels(file: Buffer): Promise<Pixels> {
  const header = readImageHeader(file);
  if (header) {
    const pixels = await decodeRaster(file, header);
    const scale = Math.min(1, storedLogoSide / Math.max(pixels.width, pixels.height));
    const [width, height] = [pixels.width, pixels.height].map((side) =>
      Math.max(1, Math.round(side * scale)),
    );
    return resize(pixels, width as number, height as number);
  }
  if (!looksLikeSvg(file)) throw new ImageError('must be a PNG, JPEG, WebP or SVG file: export it as PNG');
  const scene = parseSvg(file);
  const width = Math.max(1, Math.round((storedLogoSide * scene.width) / Math.max(scene.width, scene.height)));
  return rasterize(scene, width, { wholePixels: false });
}
