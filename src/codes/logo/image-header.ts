import { isFrame, jpegSegments, startOfScan } from './jpeg-segments.ts';
import { broken, hasMore, ImageError, type ImageLimits, logoImageLimits } from './logo-limits.ts';

export type RasterType = 'png' | 'jpeg' | 'webp';

export interface ImageHeader {
  type: RasterType;
  width: number;
  height: number;
}

/** The type and the size of an image by its first bytes, whatever its name says. Undefined for anything else. */
export function readImageHeader(
  file: Buffer,
  { maxSide, maxPixels }: ImageLimits = logoImageLimits,
): ImageHeader | undefined {
  const type = rasterType(file);
  if (!type) return undefined;
  const { width, height } = sizeReaders[type](file);
  if (width < 1 || height < 1) throw broken();
  if (width > maxSide || height > maxSide || width * height > maxPixels) {
    const most = `${maxSide} pixels wide and high, and ${maxPixels / 1_000_000} megapixels`;
    throw new ImageError(`has ${width} × ${height} pixels, and may be at most ${most}: make it smaller`);
  }
  return { type, width, height };
}

export function rasterType(file: Buffer): RasterType | undefined {
  if (file.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (file.toString('latin1', 0, 3) === '\xff\xd8\xff') return 'jpeg';
  if (file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  return undefined;
}

type Size = Pick<ImageHeader, 'width' | 'height'>;

const sizeReaders: Record<RasterType, (file: Buffer) => Size> = {
  png: pngSize,
  jpeg: jpegSize,
  webp: webpSize,
};

/** Walks the chunks to the last one, so that nothing can hide behind it. */
function pngSize(file: Buffer): Size {
  if (file.length < 33 || file.toString('latin1', 12, 16) !== 'IHDR') throw broken();
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') throw new ImageError('is animated: save a single picture of it');
    if (type !== 'IEND') continue;
    if (at + 12 + file.readUInt32BE(at) !== file.length) throw hasMore();
    return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
  }
  throw broken();
}

/** Walks the segments to the first scan. A JPEG has no length, but an end. */
function jpegSize(file: Buffer): Size {
  let end = file.length;
  // Some cameras fill the last block of the card.
  while (end > 2 && file[end - 1] === 0) end -= 1;
  if (file.readUInt16BE(end - 2) !== 0xffd9) {
    throw file.includes(Buffer.from([0xff, 0xd9])) ? hasMore() : broken();
  }
  let size: Size | undefined;
  for (const { kind, bytes } of jpegSegments(file)) {
    if (isFrame(kind)) size = frameSize(bytes);
    if (kind === startOfScan) break;
  }
  if (!size) throw broken();
  return size;
}

function frameSize(frame: Buffer): Size {
  if (frame.length < 9) throw broken();
  return { width: frame.readUInt16BE(7), height: frame.readUInt16BE(5) };
}

function webpSize(file: Buffer): Size {
  if (file.length < 30) throw broken();
  const length = 8 + file.readUInt32LE(4);
  if (length > file.length) throw broken();
  if (length < file.length) throw hasMore();
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = file.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 'VP8X':
      if (((file[20] as number) & 2) !== 0) throw new ImageError('is animated: save a single picture of it');
      return { width: 1 + file.readUIntLE(24, 3), height: 1 + file.readUIntLE(27, 3) };
    default:
      throw broken();
  }
}
