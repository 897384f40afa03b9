import { broken } from '../logo/image-header.ts';

const maxSegments = 10_000;
const marker = { end: 0xd9, scan: 0xda, exif: 0xe1, profile: 0xe2, adobe: 0xee };

/** The frame, its tables and scans, how its colors are meant, and which side is up. */
export function cleanJpeg(file: Buffer): Buffer {
  const kept = [file.subarray(0, 2)];
  let at = 2;
  for (let segments = 0; segments < maxSegments && at + 4 <= file.length; segments += 1) {
    if (file[at] !== 0xff) throw broken();
    const kind = file[at + 1] as number;
    if (kind === 0xff) {
      at += 1;
      continue;
    }
    if (kind === marker.end) break;
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end < at + 4 || end > file.length) throw broken();
    const segment = file.subarray(at, end);
    if (isKept(kind, segment)) kept.push(segment);
    if (kind === marker.exif) kept.push(...uprightExif(segment));
    at = end;
    if (kind !== marker.scan) continue;
    at = endOfScan(file, at);
    kept.push(file.subarray(end, at));
  }
  if (file[at] !== 0xff || file[at + 1] !== marker.end) throw broken();
  return Buffer.concat([...kept, file.subarray(at, at + 2)]);
}

function isKept(kind: number, segment: Buffer): boolean {
  if (kind === marker.profile) return segment.toString('latin1', 4, 16) === 'ICC_PROFILE\0';
  if (kind === marker.adobe) return segment.toString('latin1', 4, 9) === 'Adobe';
  return kind >= 0xc0 && kind <= 0xdd;
}

/** The next marker that is not part of the data. */
function endOfScan(file: Buffer, start: number): number {
  for (let at = file.indexOf(0xff, start); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] as number;
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isData) return at;
  }
  throw broken();
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
