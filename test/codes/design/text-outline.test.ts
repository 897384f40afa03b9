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
    it(`is drawn in ${language}: ${texts.join(', ')}`, async () => {
      for (const text of texts) {
        expect(await findUndrawable(text)).to.equal(undefined);
        const { path, width, top, bottom } = await outlineText(text);
        // As in designs that were printed before other scripts could be drawn.
        expect([top, bottom]).to.deep.equal([-0.72, 0]);
        expect(width).to.be.within(1.5, 15);
        expect(inkOf(path)).to.be.above(500);
      }
    });
  }

  it('has the letters and signs that the six languages use', async () => {
    expect(
      await findUndrawable('ÄÖÜäöüßÀàÂâÇçÉéÈèÊêËëÎîÏïÔôŒœÙùÛûŸÿÑñÍíÓóÚúÁáÃãÕõ¿¡«»„“”‚‘’…–—€%&@#+*/()!?'),
    ).to.equal(undefined);
    expect(await findUndrawable('扫码点餐，关注我们！立即下载（免费）')).to.equal(undefined);
  });

  const others = {
    Vietnamese: 'Quét mã để đặt món',
    Arabic: 'امسح الرمز للقائمة',
    Hebrew: 'סרקו אותי',
    Thai: 'สแกนเพื่อดูเมนู',
    Devanagari: 'मेनू के लिए स्कैन करें',
    Japanese: 'メニューはこちら',
    Korean: '스캔해 주세요',
    'traditional Chinese': '掃描點餐',
    Cyrillic: 'Меню здесь',
    Greek: 'Σκάναρέ με',
    'combining accents': 'Scan me a\u0301',
    emoji: 'Scan me 😀',
  };
  for (const [script, text] of Object.entries(others)) {
    it(`is drawn in other scripts: ${script}`, async () => {
      expect(await findUndrawable(text)).to.equal(undefined);
      const { path, width, top, bottom } = await outlineText(text);
      expect(width).to.be.within(2, 12);
      expect(top).to.be.within(-1.2, -0.4);
      expect(bottom).to.be.within(0, 0.5);
      expect(inkOf(path)).to.be.above(500);
    });
  }

  it('joins letters and puts accents on theirs, as the labels do', async () => {
    const [joined, apart] = [await outlineText('سم'), await outlineText('س م')];
    expect(joined.width).to.be.below(0.8 * apart.width);
    const [plain, accented] = [await outlineText('ก'), await outlineText('กี่')];
    expect(accented.width).to.equal(plain.width);
    expect(accented.top).to.be.below(plain.top - 0.2);
  });

  it('names the first character that cannot be drawn', async () => {
    expect(await findUndrawable('Scan ཀ me 𒀀')).to.equal('ཀ');
    expect(await findUndrawable('\u{12000}')).to.equal('𒀀');
    const failure = await outlineText('Scan ཀ').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(RangeError);
  });

  it('is as wide as its letters, in one font or in two', async () => {
    const widthOf = async (text: string) => (await outlineText(text)).width;
    const [latin, chinese] = [await widthOf('Scan'), await widthOf('扫码')];
    expect(chinese).to.be.closeTo(2, 0.1);
    expect(await widthOf('Scan扫码')).to.be.closeTo(latin + chinese, 0.001);
    expect(await widthOf('Scan Scan')).to.be.above(2 * latin);
  });
});
