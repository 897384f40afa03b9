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

/** Type and size by the first bytes. Undefined for other types. */
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

/** An image has a few dozen. */
const maxChunks = 20_000;

/** The chunks of a PNG up to the last one. `end` is the offset behind a chunk. */
export function* pngChunks(file: Buffer): Generator<{ type: string; bytes: Buffer; end: number }> {
  for (let at = 8, chunks = 0; at + 12 <= file.length && chunks < maxChunks; chunks += 1) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) throw broken();
    const type = file.toString('latin1', at + 4, at + 8);
    yield { type, bytes: file.subarray(at, end), end };
    if (type === 'IEND') return;
    at = end;
  }
  throw broken();
}

/** Requires that nothing follows the last chunk. */
function pngSize(file: Buffer): Size {
  if (file.length < 33 || file.toString('latin1', 12, 16) !== 'IHDR') throw broken();
  let last = 0;
  for (const { type, end } of pngChunks(file)) {
    if (type === 'acTL') throw new ImageError('is animated: save a single picture of it');
    last = end;
  }
  if (last !== file.length) throw hasMore();
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}

/** A JPEG has no length, but an end marker. */
function jpegSize(file: Buffer): Size {
  let end = file.length;
  // Some cameras pad the file with zeros.
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
/** Each scan may process all pixels. Encoders write a few dozen at most. */
const maxScans = 200;
const endOfImage = 0xd9;
const startOfScan = 0xda;

interface JpegSegment {
  kind: number;
  /** Including its marker. */
  bytes: Buffer;
  /** Compressed data after a start of scan. Empty for other segments. */
  scan: Buffer;
}

/**
 * Yields the segments up to the end of the image, as decoders find them: a marker without a length is rejected, because
 * decoders would continue right behind it.
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

/** Excludes d0 to d9, which stand alone, and undefined markers below c0. */
const hasLength = (kind: number) => kind >= 0xc0 && !(kind >= 0xd0 && kind <= 0xd9);

const isFrame = (kind: number) => kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);

/** The next marker that is not a restart marker or an escaped byte. */
function endOfScan(file: Buffer, start: number): number {
  for (let at = file.indexOf(0xff, start); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] as number;
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isData) return at;
  }
  throw broken();
}

/** Channels by PNG color type. */
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Start and distance of the pixels in each pass of an interlaced image. */
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
 * Rejects a PNG whose data inflates to more than its pixels, or continues after them. Decoders stop at the last pixel: a
 * file of 300 KB could hide hundreds of megabytes from them. Nothing is kept in memory.
 */
export async function requireExactData(file: Buffer): Promise<void> {
  const data = [...pngChunks(file)].flatMap(({ type, bytes }) =>
    type === 'IDAT' ? bytes.subarray(8, -4) : [],
  );
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

/** Each row starts with a filter byte and is padded to whole bytes. */
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
