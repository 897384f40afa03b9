import { expect } from 'chai';
import { drawPng, drawSvg, type Picture } from '../../../src/codes/image/draw.ts';
import { imageEtag, type Images, openImages } from '../../../src/codes/image/image-thread.ts';
import { testLog } from '../../support/test-log.ts';

const log = testLog();
const plain: Picture = {
  text: 'https://qr.test/r/abcdefghij',
  errorCorrection: 'M',
  size: 512,
  foregroundColor: '#1a1410',
  backgroundColor: '#ffffff',
};

describe('The image thread', () => {
  let images: Images;
  before(async () => {
    images = await openImages(log);
  });
  after(() => images.close());

  it('draws what the drawing functions draw', async () => {
    const svg = await images.draw(plain, 'svg');
    const png = await images.draw(plain, 'png');
    expect(svg.body.toString()).to.equal(drawSvg(plain));
    expect(png.body.equals(drawPng(plain))).to.equal(true);
    expect(svg.etag).to.equal(imageEtag(plain, 'svg'));
    expect(png.etag).to.equal(imageEtag(plain, 'png'));
  });

  it('draws a picture once, for those who ask at the same time and for those who ask later', async () => {
    const picture = { ...plain, text: 'once' };
    const [first, ...others] = await Promise.all(
      Array.from({ length: 20 }, () => images.draw({ ...picture }, 'png')),
    );
    for (const image of [...others, await images.draw({ ...picture }, 'png')]) {
      expect(image.body).to.equal(first?.body);
    }
    expect((await images.draw({ ...picture, size: 513 }, 'png')).body).to.not.equal(first?.body);
  });

  it('forgets the pictures that were not asked for longest when they are more than 32 MB', async () => {
    const picture = { ...plain, errorCorrection: 'L' as const };
    const large = (number: number) =>
      images.draw({ ...picture, text: `${number} ${'x'.repeat(2900)}` }, 'svg');
    const first = await large(0);
    let last = first;
    for (let number = 1; number * first.body.length < 33 * 1024 * 1024; number += 1)
      last = await large(number);
    const again = await large(0);
    expect(again.body).to.not.equal(first.body);
    expect(again.body.equals(first.body)).to.equal(true);
    expect(last.body.length).to.be.above(80_000);
  }).timeout(60_000);

  it('refuses at once when 200 wait, and draws again when they are done', async () => {
    const ask = (number: number) => images.draw({ ...plain, text: `waits ${number}` }, 'svg');
    const waiting = Array.from({ length: 200 }, (_, number) => ask(number));
    const refusal = await ask(200).catch((error: unknown) => error);
    expect(refusal).to.be.an('error').with.property('message', 'Too many images are waiting to be drawn');
    await Promise.all(waiting);
    expect((await ask(200)).body.toString()).to.equal(drawSvg({ ...plain, text: 'waits 200' }));
  });

  it('says what cannot be drawn, and goes on', async () => {
    const refusal = await images
      .draw({ ...plain, text: 'x'.repeat(3000) }, 'png')
      .catch((error: unknown) => error);
    expect(refusal).to.be.an('error');
    expect((await images.draw({ ...plain, text: 'goes on' }, 'svg')).body.length).to.be.above(0);
  });

  it('answers nothing when it was closed', async () => {
    const closed = await openImages(log);
    await closed.close();
    const refusal = await closed.draw(plain, 'png').catch((error: unknown) => error);
    expect(refusal).to.be.an('error').with.property('message', 'The image thread has exited');
  });
});

describe('The ETag of a picture', () => {
  it('is strong, and another one for every change and format', () => {
    const changes: Partial<Picture>[] = [
      {},
      { text: `${plain.text}k` },
      { errorCorrection: 'Q' },
      { size: 513 },
      { foregroundColor: '#1a1411' },
      { backgroundColor: '#fffffe' },
      { foregroundColor: plain.backgroundColor, backgroundColor: plain.foregroundColor },
    ];
    const etags = changes.flatMap((change) => [
      imageEtag({ ...plain, ...change }, 'svg'),
      imageEtag({ ...plain, ...change }, 'png'),
    ]);
    for (const etag of etags) expect(etag).to.match(/^"[\w-]{43}"$/);
    expect(new Set(etags).size).to.equal(2 * changes.length);
  });

  it('is the same in every process: it depends on nothing but the picture', () => {
    const { text, ...look } = plain;
    expect(imageEtag({ text, ...look }, 'png')).to.equal(imageEtag({ ...look, text }, 'png'));
  });
});
