// Inputs: src/codes, src/runtime, src/telemetry, src/errors.ts, src/limits.ts, src/schema.ts
import { expect } from 'chai';
import { encodeQR } from 'qr';
import { drawPng, drawSvg, type Picture } from '../../../src/codes/image/draw.ts';
import { countModules } from '../../../src/codes/image/symbol.ts';
import { errorCorrections } from '../../../src/codes/qr-code.ts';
import { type Bitmap, rasterize, readPng } from './pixels.ts';
import { scan } from './zxing.ts';

const plain: Picture = {
  text: 'https://qr.test/r/abcdefghij',
  errorCorrection: 'M',
  size: 512,
  foregroundColor: '#1a1410',
  backgroundColor: '#ffffff',
};
const capacity = { L: 2953, M: 2331, Q: 1663, H: 1273 };
const sizes = [128, 129, 150, 185, 186, 300, 511, 512, 2047, 2048];
const texts = ['1', '01234567', 'HTTPS://QR.TEST/R/1', plain.text, 'ä€😀'.repeat(20), 'x'.repeat(400)];

/** The distances to the edges, the width of the symbol, and of the dark bar in its upper left corner: 7 modules. */
function measure({ size, pixels }: Bitmap) {
  const dark = (x: number, y: number) => pixels[y * size + x] === 1;
  const all = Array.from({ length: size }, (_, index) => index);
  const columns = all.filter((x) => all.some((y) => dark(x, y)));
  const rows = all.filter((y) => all.some((x) => dark(x, y)));
  const [left = 0, top = 0] = [columns[0], rows[0]];
  const [right = 0, bottom = 0] = [columns.at(-1), rows.at(-1)];
  const bar = all.slice(left).findIndex((x) => !dark(x, top));
  return { left, top, right: size - 1 - right, bottom: size - 1 - bottom, width: right - left + 1, bar };
}

describe('The image of a QR code (decisions: Image)', () => {
  for (const size of sizes) {
    it(`is ${size} pixels wide and high, with square modules of whole pixels, centered in at least 4 light ones`, () => {
      // Large ones take long, and only the number of pixels of a module differs.
      const levels = size > 2_000 ? (['M'] as const) : errorCorrections;
      for (const text of texts) {
        for (const errorCorrection of levels) {
          const picture = { ...plain, text, errorCorrection, size };
          const bitmap = readPng(drawPng(picture));
          expect(bitmap.size).to.equal(size);
          const modules = countModules(text, errorCorrection);
          const pixels = Math.floor(size / (modules + 8));
          if (pixels === 0) continue;
          const { left, top, right, bottom, width, bar } = measure(bitmap);
          expect(bar).to.equal(7 * pixels);
          expect(width).to.equal(modules * pixels);
          expect([left, top]).to.deep.equal([Math.floor((size - width) / 2), left]);
          expect([right, bottom]).to.deep.equal([size - width - left, right]);
          expect(Math.min(left, right)).to.be.at.least(4 * pixels);
        }
      }
    });
  }

  it('shows every module as the encoder does, in the smallest symbol that holds the text', () => {
    const levels = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const;
    for (const text of texts) {
      for (const errorCorrection of errorCorrections) {
        const symbol = encodeQR(text, 'raw', { ecc: levels[errorCorrection], border: 4 });
        const bitmap = readPng(drawPng({ ...plain, text, errorCorrection, size: symbol.length * 3 }));
        const seen = symbol.map((row, y) =>
          row.map((_, x) => bitmap.pixels[(3 * y + 1) * bitmap.size + 3 * x + 1] === 1),
        );
        expect(seen).to.deep.equal(symbol);
      }
    }
  });

  it('has the two given colors, the foreground for the modules', () => {
    const { palette } = readPng(
      drawPng({ ...plain, foregroundColor: '#AB00cd', backgroundColor: '#fFee01' }),
    );
    expect(palette).to.deep.equal(['#ffee01', '#ab00cd']);
  });

  it('is the same as SVG and as PNG, pixel for pixel', () => {
    let compared = 0;
    for (const size of [...sizes, 1000]) {
      for (const text of [...texts, 'x'.repeat(1200)]) {
        const picture = { ...plain, text, size, errorCorrection: errorCorrections[compared % 4] ?? 'M' };
        const svg = rasterize(drawSvg(picture));
        const png = readPng(drawPng(picture));
        expect(svg.palette).to.deep.equal(png.palette);
        expect(Buffer.compare(svg.pixels, png.pixels), `${size} ${text}`).to.equal(0);
        compared += 1;
      }
    }
    expect(compared).to.be.above(70);
  });

  it('drops its margin before any module, and modules before its size', () => {
    const text = 'x'.repeat(600);
    const narrow = countModules(text, 'M');
    for (const size of [narrow, narrow + 1, narrow + 7]) {
      const { width, bar, left } = measure(readPng(drawPng({ ...plain, text, size })));
      expect([width, bar, left]).to.deep.equal([narrow, 7, Math.floor((size - narrow) / 2)]);
    }
    const tooSmall = readPng(drawPng({ ...plain, text: 'x'.repeat(2331), size: 128 }));
    expect(tooSmall.size).to.equal(128);
    expect(measure(tooSmall)).to.include({ left: 0, top: 0, right: 0 });
  });

  for (const errorCorrection of errorCorrections) {
    const bytes = capacity[errorCorrection];
    it(`holds ${bytes} bytes of UTF-8 at error correction ${errorCorrection}, and not one more`, async () => {
      const text = `${'😀é'.repeat(100)}${'x'.repeat(bytes - 600)}`;
      const png = drawPng({ ...plain, text, errorCorrection });
      expect(countModules(text, errorCorrection)).to.equal(177);
      expect((await scan(png))?.toString()).to.equal(text);
      expect(() => drawPng({ ...plain, text: `${text}x`, errorCorrection })).to.throw(RangeError);
    });
  }

  it('escapes an invalid color', () => {
    const color = '"/><script>alert(1)</script><a b=\'&';
    const svg = drawSvg({ ...plain, foregroundColor: color, backgroundColor: color });
    expect(svg.match(/</g)).to.have.length(4);
    expect(svg).to.not.include('script>');
  });

  it('is small: the SVG of a share link below 4 KB, its PNG of 2048 pixels below 8 KB', () => {
    expect(drawSvg(plain).length).to.be.below(4096);
    expect(drawPng({ ...plain, size: 2048 }).length).to.be.below(8192);
  });
});
