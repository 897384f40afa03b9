import { createInflate } from 'node:zlib';
import {
  broken,
  hasMore,
  ImageError,
  type ImageLimits,
  logoImageLimits,
  type RasterType,
  rasterType,
} from './upload.ts';

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

const maxSegments = 10_000;
/** Each may go over all pixels again. Encoders make at most a few dozen. */
const maxScans = 200;
const endOfImage = 0xd9;
export const startOfScan = 0xda;

interface JpegSegment {
  kind: number;
  /** From its marker on. */
  bytes: Buffer;
  /** The compressed data that follows the start of a scan. Empty for other segments. */
  scan: Buffer;
}

/**
 * The segments up to the end of the image. Decoders find the same ones: a marker that has no length is refused, because
 * they would look for the next one right behind it.
 */
export function* jpegSegments(file: Buffer): Generator<JpegSegment> {
  let at = 2;
  let frames = 0;
  let scans = 0;
  for (let segments = 0; segments < maxSegments && at + 2 <= file.length; segments += 1) {
    if (file[at] !== 0xff) throw broken();
    const kind = file[at + 1] as number;
    if (kind === 0xff) {
      at += 1;
      continue;
    }
    if (kind === endOfImage) return;
    if (!hasLength(kind) || at + 4 > file.length) throw broken();
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end < at + 4 || end > file.length) throw broken();
    if (isFrame(kind)) frames += 1;
    if (kind === startOfScan) scans += 1;
    if (frames > 1 || scans > maxScans) throw broken();
    const next = kind === startOfScan ? endOfScan(file, end) : end;
    yield { kind, bytes: file.subarray(at, end), scan: file.subarray(end, next) };
    at = next;
  }
  throw broken();
}

/** Not so 01 and d0 to d9, which stand alone, and those below c0, which are not defined. */
const hasLength = (kind: number) => kind >= 0xc0 && !(kind >= 0xd0 && kind <= 0xd9);

export const isFrame = (kind: number) => kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);

/** The next marker that is not part of the data, as restart markers are. */
function endOfScan(file: Buffer, start: number): number {
  for (let at = file.indexOf(0xff, start); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] as number;
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isData) return at;
  }
  throw broken();
}

/** Values of a pixel, by the color type of the header. */
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Start and distance of the pixels of each pass of an interlaced image, in x and y. */
const passes: [x: number, y: number, dx: number, dy: number][] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/**
 * Rejects a PNG whose data inflate to more than its pixels, or go on after them. Decoders stop at the last pixel: a file of
 * 300 KB could have hundreds of megabytes behind it, for every program that inflates them all. Nothing is kept in memory.
 */
export async function requireExactData(file: Buffer): Promise<void> {
  const data = imageData(file);
  const expected = inflatedBytes(file);
  const inflate = createInflate();
  let inflated = 0;
  await new Promise<void>((resolve, reject) => {
    inflate.on('data', (part: Buffer) => {
      inflated += part.length;
      if (inflated > expected) inflate.destroy(hasMore());
    });
    inflate.once('error', (error) => reject(error.name === 'ImageError' ? error : broken()));
    inflate.once('end', resolve);
    for (const part of data) inflate.write(part);
    inflate.end();
  });
  if (inflated < expected) throw broken();
  if (inflate.bytesWritten < data.reduce((sum, { length }) => sum + length, 0)) throw hasMore();
}

/** Of all IDAT chunks, which are one stream. */
function imageData(file: Buffer): Buffer[] {
  const data: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at))
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  return data;
}

/** Each row has a byte for its filter, and begins with a byte of its own. */
function inflatedBytes(file: Buffer): number {
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const [depth, colorType, isInterlaced] = [file[24], file[25], file[28] === 1] as [number, number, boolean];
  const bitsPerPixel = depth * (channels[colorType] ?? 0);
  if (bitsPerPixel === 0) throw broken();
  const bytesOf = (columns: number, rows: number) =>
    columns > 0 ? rows * (1 + Math.ceil((columns * bitsPerPixel) / 8)) : 0;
  if (!isInterlaced) return bytesOf(width, height);
  return passes.reduce(
    (sum, [x, y, dx, dy]) => sum + bytesOf(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)),
    0,
  );
}
