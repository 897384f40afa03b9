/** Pictures with what cameras and editors add to them. */

export const secretPlace = '48.8584 N 2.2945 E';

function segment(kind: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, kind, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Exif with an orientation and, behind it, a place. */
export function exif(orientation: number, isLittle = false): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write(isLittle ? 'II' : 'MM', 'latin1');
  const short = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  short(42, 2);
  long(8, 4);
  short(1, 8);
  short(0x0112, 10);
  short(3, 12);
  long(1, 14);
  short(orientation, 18);
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from(secretPlace)]));
}

/** With segments after the start of the image, and bytes after its end. */
export function withSegments(jpeg: Buffer, segments: Buffer[], after = Buffer.alloc(0)): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2), after]);
}

export const comment = (text: string) => segment(0xfe, Buffer.from(text));

/** With a chunk before the last one. */
export function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([png.subarray(0, -12), head, data, Buffer.alloc(4), png.subarray(-12)]);
}

/** With a chunk at the end, which the size of the file includes. */
export function withRiffChunk(webp: Buffer, type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  const file = Buffer.concat([webp, head, data, Buffer.alloc(data.length % 2)]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

/** A gray JPEG of 16 × 8 pixels in two blocks, with a restart marker between them. */
export function jpegWithRestart(): Buffer {
  const shortestCode = [1, ...Array.from({ length: 15 }, () => 0), 0];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.from([0, ...Array.from({ length: 64 }, () => 1)])),
    segment(0xc0, Buffer.from([8, 0, 8, 0, 16, 1, 1, 0x11, 0])),
    segment(0xc4, Buffer.from([0x00, ...shortestCode])),
    segment(0xc4, Buffer.from([0x10, ...shortestCode])),
    segment(0xdd, Buffer.from([0, 1])),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x3f, 0xff, 0xd0, 0x3f, 0xff, 0xd9]),
  ]);
}

const startOfFrame = (jpeg: Buffer) =>
  Math.max(...[0xc0, 0xc2].map((kind) => jpeg.indexOf(Buffer.from([0xff, kind]))));

/** Everything up to the first scan once more, in a larger size, in what seems to be a segment. */
export function withHiddenFrame(jpeg: Buffer, marker: number, width: number, height: number): Buffer {
  const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));
  const hidden = Buffer.from(jpeg.subarray(2, scan + 2 + jpeg.readUInt16BE(scan + 2)));
  const frame = startOfFrame(hidden);
  hidden.writeUInt16BE(height, frame + 5);
  hidden.writeUInt16BE(width, frame + 7);
  return withSegments(jpeg, [segment(marker, Buffer.concat([hidden, Buffer.alloc(2)]))]);
}

/** With its start of frame twice, the first one in another size. */
export function withTwoFrames(jpeg: Buffer, width: number, height: number): Buffer {
  const at = startOfFrame(jpeg);
  const frame = Buffer.from(jpeg.subarray(at, at + 2 + jpeg.readUInt16BE(at + 2)));
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return withSegments(jpeg, [frame]);
}
