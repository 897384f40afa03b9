import { expect } from 'chai';
import { drawPng, drawSvg, type Picture } from '../../../src/codes/image/draw.ts';
import { imageEtag, type Images, openImages } from '../../../src/codes/image/image-thread.ts';
import { testLog } from '../../support/test-log.ts';

const caller = { key: 'an account' };

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
    const svg = await images.draw(caller, plain, 'svg');
    const png = await images.draw(caller, plain, 'png');
    expect(svg.body.toString()).to.equal(drawSvg(plain));
    expect(png.body.equals(drawPng(plain))).to.equal(true);
    expect(svg.etag).to.equal(imageEtag(plain, 'svg'));
    expect(png.etag).to.equal(imageEtag(plain, 'png'));
  });

  it('draws an image once, for parallel and for later requests', async () => {
    const picture = { ...plain, text: 'once' };
    const [first, ...others] = await Promise.all(
      Array.from({ length: 20 }, () => images.draw(caller, { ...picture }, 'png')),
    );
    for (const image of [...others, await images.draw(caller, { ...picture }, 'png')]) {
      expect(image.body).to.equal(first?.body);
    }
    expect((await images.draw(caller, { ...picture, size: 513 }, 'png')).body).to.not.equal(first?.body);
  });

  it('evicts the least recently used images beyond its cache size', async () => {
    const small = await openImages(log, { cacheBytes: 20_000 });
    try {
      const draw = (number: number) => small.draw(caller, { ...plain, text: `evicted ${number}` }, 'svg');
      const first = await draw(0);
      expect((await draw(0)).body, 'cached').to.equal(first.body);
      for (let number = 1; number * first.body.length < 20_000; number += 1) await draw(number);
      const again = await draw(0);
      expect(again.body, 'drawn again').to.not.equal(first.body);
      expect(again.body.equals(first.body)).to.equal(true);
    } finally {
      await small.close();
    }
  });

  it('refuses excess requests of one caller, and none of another', async () => {
    const bounded = await openImages(log, { waitingPerKey: 2 });
    try {
      const draw = (number: number) => bounded.draw(caller, { ...plain, text: `waits ${number}` }, 'svg');
      const waiting = [draw(0), draw(1), draw(2)];
      const refusal = await draw(3).catch((error: unknown) => error);
      expect(refusal)
        .to.be.an('error')
        .with.property('message', 'The picture cannot be drawn right now. Try again shortly.');
      const other = await bounded.draw({ key: 'another' }, { ...plain, text: 'other' }, 'svg');
      expect(other.body.toString()).to.equal(drawSvg({ ...plain, text: 'other' }));
      await Promise.all(waiting);
      expect((await draw(3)).body.toString()).to.equal(drawSvg({ ...plain, text: 'waits 3' }));
    } finally {
      await bounded.close();
    }
  });

  it('rejects what cannot be drawn, and continues', async () => {
    const refusal = await images
      .draw(caller, { ...plain, text: 'x'.repeat(3000) }, 'png')
      .catch((error: unknown) => error);
    expect(refusal).to.be.an('error');
    expect((await images.draw(caller, { ...plain, text: 'goes on' }, 'svg')).body.length).to.be.above(0);
  });

  it('rejects after it was closed', async () => {
    const closed = await openImages(log);
    await closed.close();
    const refusal = await closed.draw(caller, plain, 'png').catch((error: unknown) => error);
    expect(refusal).to.be.an('error').with.property('message', 'The image thread has exited');
  });
});

describe('The ETag of an image', () => {
  it('is strong, and different for every change and format', () => {
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

  it('is the same in every process: it depends on the image only', () => {
    const { text, ...look } = plain;
    expect(imageEtag({ text, ...look }, 'png')).to.equal(imageEtag({ ...look, text }, 'png'));
  });
});
