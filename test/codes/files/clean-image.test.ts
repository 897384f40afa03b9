// Inputs: src/codes, src/runtime, src/telemetry, src/errors.ts, src/limits.ts, src/schema.ts
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { cleanImage } from '../../../src/codes/files/clean-image.ts';
import { decodeRaster, normalizeImage, normalizePhoto } from '../../../src/codes/files/normalize-image.ts';
import { pngFile } from '../../../src/codes/image/pixels.ts';
import { readImageHeader } from '../../../src/codes/files/raster-header.ts';
import { jpeg, png, webp } from './logo-files.ts';
import {
  comment,
  exif,
  jpegWithRestart,
  secretPlace,
  withChunk,
  withHiddenFrame,
  withRiffChunk,
  withSegments,
  withTwoFrames,
} from './camera-files.ts';

async function pixelsOf(file: Buffer) {
  const header = readImageHeader(file);
  if (!header) throw new Error('No image');
  return decodeRaster(file, header);
}

describe('Uploaded images', () => {
  const hidden = Buffer.from(`<script>alert(1)</script> ${secretPlace}`);

  it('lose comments, locations and trailing data, and keep their pixels', async () => {
    const files = {
      jpeg: [await jpeg(), withSegments(await jpeg(), [comment(hidden.toString()), exif(1)], hidden)],
      png: [png(), Buffer.concat([withChunk(png(), 'tEXt', hidden), hidden])],
      webp: [await webp(), Buffer.concat([withRiffChunk(await webp(), 'EXIF', hidden), hidden])],
    };
    for (const [type, [plain, full]] of Object.entries(files) as [string, [Buffer, Buffer]][]) {
      const cleaned = await normalizeImage(full);
      expect(cleaned.includes(secretPlace), type).to.equal(false);
      expect(cleaned.includes('<script>'), type).to.equal(false);
      expect(await pixelsOf(cleaned), type).to.deep.equal(await pixelsOf(plain));
    }
  });

  for (const isLittle of [true, false])
    it(`keep their orientation, from a camera that writes ${isLittle ? 'the last' : 'the first'} byte first`, async () => {
      const upright = withSegments(await jpeg(40, 20), [exif(6, isLittle)]);
      const cleaned = cleanImage(upright) as Buffer;
      expect(cleaned.includes(secretPlace)).to.equal(false);
      expect(await pixelsOf(cleaned)).to.include({ width: 20, height: 40 });
      expect(await pixelsOf(cleaned)).to.deep.equal(await pixelsOf(upright));
    });

  it('keep the restart markers of a scan, and all scans of a progressive JPEG', async () => {
    expect(cleanImage(jpegWithRestart())).to.deep.equal(jpegWithRestart());
    expect(await pixelsOf(jpegWithRestart())).to.include({ width: 16, height: 8 });
    const progressive = await jpeg();
    const scans = (file: Buffer) => file.toString('latin1').split('\xff\xda').length - 1;
    expect(scans(progressive)).to.be.above(3);
    expect(scans(cleanImage(progressive) as Buffer)).to.equal(scans(progressive));
  });

  it('have no frame that decoders find elsewhere', async () => {
    const plain = await jpeg();
    const markers = [0x01, 0x02, 0xbf, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8];
    const files = [
      ...markers.map((marker) => withHiddenFrame(plain, marker, 16_000, 16_000)),
      withTwoFrames(plain, 2_000, 2_000),
    ];
    for (const file of files) {
      expect(() => cleanImage(file)).to.throw('is damaged');
      expect(() => readImageHeader(file)).to.throw('is damaged');
    }
  });

  it('have no data beyond their pixels, and no second image', async () => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(3, 0);
    header.writeUInt32BE(2, 4);
    header.set([8, 6], 8);
    const rows = Buffer.alloc(2 * (1 + 3 * 4));
    const file = (data: Buffer) => pngFile(header, [], data);
    expect(await normalizeImage(file(deflateSync(rows)))).to.deep.equal(file(deflateSync(rows)));
    const interlaced = Buffer.from(header);
    interlaced[12] = 1;
    // Passes of 1, 1, 1 and 3 pixels: each row has a byte of its own for the filter.
    const passes = Buffer.alloc(4 + 6 * 4);
    expect(await normalizeImage(pngFile(interlaced, [], deflateSync(passes)))).to.be.instanceOf(Buffer);
    const drawing = await webp();
    const twice = Buffer.concat([drawing, drawing.subarray(12)]);
    twice.writeUInt32LE(twice.length - 8, 4);
    const refused = [
      file(deflateSync(Buffer.concat([rows, Buffer.alloc(225_000_000)]))),
      file(deflateSync(Buffer.concat([rows, Buffer.alloc(1)]))),
      file(Buffer.concat([deflateSync(rows), hidden])),
      twice,
    ];
    for (const [index, each] of refused.entries()) {
      const error: unknown = await normalizeImage(each).catch((reason: unknown) => reason);
      expect(error, String(index)).to.be.an('error').with.property('message').that.contains('has other data');
    }
  });

  it('become photos of 256 × 256 pixels and at most 64 KB, whatever their shape', async () => {
    for (const file of [await jpeg(600, 200), png(3, 300), await webp(20, 20)]) {
      const photo = await normalizePhoto(file);
      expect(photo.length).to.be.at.most(64 * 1024);
      expect(await pixelsOf(photo)).to.include({ width: 256, height: 256 });
    }
  });
});
