// Inputs: src/codes, src/runtime, src/telemetry, src/errors.ts, src/limits.ts, src/schema.ts
import { expect } from 'chai';
import { defaultDesign, normalizeDesign } from '../../../src/codes/design/design.ts';
import { rasterize } from '../../../src/codes/design/rasterize.ts';
import type { Pixels } from '../../../src/codes/image/pixels.ts';
import { drawPng, drawSvg } from '../../../src/codes/image/draw.ts';
import { drawPicture } from '../../../src/codes/image/draw-picture.ts';
import { countModules } from '../../../src/codes/image/symbol.ts';
import { imageEtag } from '../../../src/codes/image/image-thread.ts';
import { onPaper } from '../../../src/codes/proof/photograph.ts';
import { readers } from '../../../src/codes/proof/prove.ts';
import { sharedImages } from '../../support/shared-threads.ts';
import { designed, oneOfEach, plain } from './designs.ts';
import { colorAt, readColorPng } from './png-pixels.ts';

const drawText = async (...args: Parameters<typeof drawPicture>) =>
  Buffer.from(await drawPicture(...args)).toString();

async function read(pixels: Pixels): Promise<string[]> {
  const photo = onPaper(pixels);
  return Promise.all(Object.values(readers).map(async (reader) => (await reader(photo)) ?? 'nothing'));
}

describe('The design of a code', () => {
  it('is today’s picture by default, byte for byte and with the same ETag', async () => {
    const picture = { ...plain, design: defaultDesign };
    expect(await drawText(picture, 'svg')).to.equal(drawSvg(plain));
    expect(Buffer.compare(await drawPicture(picture, 'png'), drawPng(plain))).to.equal(0);
    for (const format of ['svg', 'png', 'pdf'] as const)
      expect(imageEtag(picture, format)).to.equal(imageEtag(plain, format));
  });

  it('changes the ETag with every choice that changes the picture', () => {
    const etags = oneOfEach.map((design) => imageEtag(designed(design), 'svg'));
    const plainOnes = oneOfEach.filter(
      (design) => imageEtag(designed(design), 'svg') === imageEtag(plain, 'svg'),
    );
    // The defaults: one shape of each of three parts, and no frame, whose text is not shown.
    expect(plainOnes).to.have.length(4);
    expect(new Set(etags).size).to.equal(oneOfEach.length - plainOnes.length + 1);
    const reordered = Object.fromEntries(Object.entries({ moduleShape: 'dots', frame: 'none' }).toReversed());
    expect(imageEtag(designed(normalizeDesign(reordered)), 'svg')).to.equal(
      imageEtag(designed({ moduleShape: 'dots' }), 'svg'),
    );
  });

  for (const design of oneOfEach) {
    it(`is read by both readers with ${JSON.stringify(design)}`, async () => {
      for (const size of [200, 512]) {
        // Not the default, which is drawn in two colors by the other encoder.
        const picture = designed({ eyeBallColor: '#1a1411', ...design }, { size });
        const pixels = readColorPng(await drawPicture(picture, 'png'));
        expect(pixels.width).to.equal(size);
        expect(await read(pixels)).to.deep.equal([plain.text, plain.text]);
      }
    });
  }

  it('has no text, style, script or reference to anything outside in its SVG', async () => {
    for (const design of oneOfEach) {
      const svg = await drawText(designed(design), 'svg');
      expect(
        svg
          .match(/<\/?[a-zA-Z]+/g)
          ?.filter((tag) => !/^<\/?(svg|rect|path|linearGradient|radialGradient|stop)$/.test(tag)),
      ).to.deep.equal([]);
      expect(svg.match(/\b(href|style|font|class|on\w+)=/g)).to.equal(null);
      expect(svg.replace('http://www.w3.org/2000/svg', '')).to.not.include('//');
    }
  });

  it('keeps its quiet zone free, in the background color', async () => {
    const modules = countModules(plain.text, plain.errorCorrection);
    const pixels = readColorPng(
      await drawPicture(
        designed({ moduleShape: 'diamond', quietZone: 6 }, { size: (modules + 12) * 10 }),
        'png',
      ),
    );
    for (let x = 0; x < pixels.width; x += 1) {
      expect(colorAt(pixels, x, 5)).to.equal('#ffffff');
      // A diamond reaches an eighth of a module beyond its own.
      expect(colorAt(pixels, x, 57)).to.equal('#ffffff');
    }
    expect(colorAt(pixels, 60, 60)).to.equal('#1a1410');
  });

  it('shows what is behind it where the background is transparent', async () => {
    const pixels = readColorPng(await drawPicture(designed({ transparentBackground: true }), 'png'));
    expect(colorAt(pixels, 0, 0)).to.equal('#00000000');
  });

  it('has the colors of eyes, gradient and frame where they belong', async () => {
    const design = { eyeFrameColor: '#aa0000', eyeBallColor: '#00aa00', gradientColor: '#0000aa' };
    const size = 10 * (countModules(plain.text, plain.errorCorrection) + 8);
    const pixels = readColorPng(await drawPicture(designed(design, { size }), 'png'));
    expect(colorAt(pixels, 45, 45)).to.equal('#aa0000');
    expect(colorAt(pixels, 75, 75)).to.equal('#00aa00');
    const framed = designed({ frame: 'band', frameText: 'i', frameColor: '#123456' }, { size: size + 20 });
    const { height, ...rest } = readColorPng(await drawPicture(framed, 'png'));
    expect(height).to.be.above(size);
    expect(colorAt({ height, ...rest }, 20, height - 20)).to.equal('#123456');
  });

  it('is drawn in the image thread', async () => {
    const picture = designed({ moduleShape: 'dots', frame: 'card', frameText: 'Aponte a câmera' });
    for (const format of ['svg', 'png', 'pdf'] as const) {
      const { body } = await sharedImages().draw({ key: 'an account' }, picture, format);
      expect(Buffer.compare(body, await drawPicture(picture, format)), format).to.equal(0);
    }
  });

  it('draws the same shapes at every size', async () => {
    const { composeScene } = await import('../../../src/codes/design/compose.ts');
    const picture = designed({ moduleShape: 'rounded' });
    const scene = await composeScene(picture, picture.design ?? defaultDesign);
    for (const size of [128, 333, 2048])
      expect(await read(rasterize(scene, size))).to.deep.equal([plain.text, plain.text]);
  });
});
