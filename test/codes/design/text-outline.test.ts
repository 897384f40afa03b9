import { expect } from 'chai';
import { frameTexts } from '../../../src/codes/design/design.ts';
import { rasterize } from '../../../src/codes/design/rasterize.ts';
import { moved, type Path } from '../../../src/codes/design/scene.ts';
import { findUndrawable, outlineText } from '../../../src/codes/design/text-outline.ts';

function inkOf(path: Path): number {
  const letters = moved(path, 0, 80, 60);
  const { data } = rasterize({ width: 900, height: 120, shapes: [{ path: letters, paint: '#000000' }] }, 900);
  return data.filter((value, index) => index % 4 === 3 && value > 127).length;
}

describe('The text of a frame', () => {
  for (const [language, texts] of Object.entries(frameTexts)) {
    it(`is drawn in ${language}: ${texts.join(', ')}`, () => {
      for (const text of texts) {
        expect(findUndrawable(text)).to.equal(undefined);
        const { path, width } = outlineText(text);
        expect(width).to.be.within(1.5, 15);
        expect(inkOf(path)).to.be.above(500);
      }
    });
  }

  it('has the letters and signs that the six languages use', () => {
    expect(
      findUndrawable('ÄÖÜäöüßÀàÂâÇçÉéÈèÊêËëÎîÏïÔôŒœÙùÛûŸÿÑñÍíÓóÚúÁáÃãÕõ¿¡«»„“”‚‘’…–—€%&@#+*/()!?'),
    ).to.equal(undefined);
    expect(findUndrawable('扫码点餐，关注我们！立即下载（免费）')).to.equal(undefined);
  });

  it('names the first character that cannot be drawn', () => {
    expect(findUndrawable('Scan 😀 me ✓')).to.equal('😀');
    expect(findUndrawable('امسح')).to.equal('ا');
    expect(findUndrawable('a\u0301')).to.equal('\u0301');
  });

  it('is as wide as its letters, in one font or in two', () => {
    const [latin, chinese] = [outlineText('Scan').width, outlineText('扫码').width];
    expect(chinese).to.be.closeTo(2, 0.1);
    expect(outlineText('Scan扫码').width).to.be.closeTo(latin + chinese, 0.001);
    expect(outlineText('Scan Scan').width).to.be.above(2 * latin);
  });
});
