import { jpegSegments } from '../logo/jpeg-segments.ts';

const marker = { exif: 0xe1, profile: 0xe2, adobe: 0xee };
const endOfImage = Buffer.from([0xff, 0xd9]);

/** The frame, its tables and scans, how its colors are meant, and which side is up. */
export function cleanJpeg(file: Buffer): Buffer {
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

/** Of the data of a camera, only how it was held: without it, pictures lie on their side. */
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
