import { broken } from './logo-limits.ts';

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
