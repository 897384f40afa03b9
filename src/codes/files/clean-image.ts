import { broken, hasMore, type RasterType, rasterType } from './upload.ts';
import { jpegSegments, pngChunks } from './raster-header.ts';

/** An image has a few dozen. */
const maxChunks = 20_000;

const cleaners: Record<RasterType, (file: Buffer) => Buffer> = {
  png: cleanPng,
  jpeg: cleanJpeg,
  webp: cleanWebp,
};

/**
 * Keeps only what is needed to draw the image. Metadata of cameras and editors (location, thumbnails, comments) and
 * trailing data are removed: nobody expects them to be published.
 */
export function cleanImage(file: Buffer): Buffer | undefined {
  const type = rasterType(file);
  return type && cleaners[type](file);
}

const keptPngChunks = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'cHRM',
  'gAMA',
  'sBIT',
  'sRGB',
  'pHYs',
]);

function cleanPng(file: Buffer): Buffer {
  const chunks = [...pngChunks(file)].filter(({ type }) => keptPngChunks.has(type));
  return Buffer.concat([file.subarray(0, 8), ...chunks.map(({ bytes }) => bytes)]);
}

const webpChunks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH']);
/** VP8X flags: alpha, and animation, which is rejected later. */
const keptFlags = 0x12;

function cleanWebp(file: Buffer): Buffer {
  if (file.length < 30) throw broken();
  const length = 8 + file.readUInt32LE(4);
  if (length > file.length) throw broken();
  const kept = [Buffer.from(file.subarray(0, 12))];
  const kinds = new Set<string>();
  for (let at = 12, chunks = 0; at + 8 <= length; chunks += 1) {
    const bytes = file.readUInt32LE(at + 4);
    const end = at + 8 + bytes + (bytes % 2);
    if (end > length || chunks >= maxChunks) throw broken();
    const type = file.toString('latin1', at, at + 4);
    // Decoders use the first of each. An image has one, lossy or lossless.
    const kind = type.startsWith('VP8') && type !== 'VP8X' ? 'image' : type;
    if (webpChunks.has(type) && kinds.has(kind)) throw hasMore();
    kinds.add(kind);
    if (webpChunks.has(type)) kept.push(Buffer.from(file.subarray(at, end)));
    at = end;
  }
  const [, first] = kept;
  if (first?.toString('latin1', 0, 4) === 'VP8X' && first.length > 8)
    first.writeUInt8((first[8] as number) & keptFlags, 8);
  const cleaned = Buffer.concat(kept);
  cleaned.writeUInt32LE(cleaned.length - 8, 4);
  return cleaned;
}

const marker = { exif: 0xe1, profile: 0xe2, adobe: 0xee };
const endOfImage = Buffer.from([0xff, 0xd9]);

/** Keeps the frame, its tables and scans, the color profile and the orientation. */
function cleanJpeg(file: Buffer): Buffer {
  const kept = [file.subarray(0, 2)];
  for (const { kind, bytes, scan } of jpegSegments(file)) {
    if (isKept(kind, bytes)) kept.push(bytes, scan);
    if (kind === marker.exif) kept.push(...uprightExif(bytes));
  }
  return Buffer.concat([...kept, endOfImage]);
}

function isKept(kind: number, segment: Buffer): boolean {
  if (kind === marker.profile) return segment.toString('latin1', 4, 16) === 'ICC_PROFILE\0';
  if (kind === marker.adobe) return segment.toString('latin1', 4, 9) === 'Adobe';
  return kind >= 0xc0 && kind <= 0xdd;
}

const orientationTag = 0x0112;
const entryBytes = 12;

/** Keeps only the orientation of the EXIF data. */
function uprightExif(segment: Buffer): Buffer[] {
  const orientation =
    segment.toString('latin1', 4, 10) === 'Exif\0\0' ? orientationIn(segment.subarray(10)) : 1;
  if (orientation < 2 || orientation > 8) return [];
  const exif = Buffer.from('ffe100224578696600004d4d002a00000008000101120003000000010000000000000000', 'hex');
  exif.writeUInt16BE(orientation, 28);
  return [exif];
}

function orientationIn(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  const entries = short(start);
  for (let index = 0; index < entries; index += 1) {
    const at = start + 2 + index * entryBytes;
    if (at + entryBytes > tiff.length) return 1;
    if (short(at) === orientationTag) return short(at + 8);
  }
  return 1;
}
