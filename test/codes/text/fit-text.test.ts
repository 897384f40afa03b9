// Inputs: src/codes/text
import { expect } from 'chai';
import { fitText } from '../../../src/codes/text/fit-text.ts';
import { likelyRegion } from '../../../src/codes/text/han-region.ts';

const sizes = [8, 7, 6];

/** Without the bidirectional order, which only tests of PDFs can see. */
async function fit(text: string, width: number, maxLines = 2): Promise<{ size: number; lines: string[] }> {
  const { size, lines } = await fitText(text, { width, maxLines, sizes });
  for (const line of lines) expect((line.width * size) / 1_000, text).to.be.at.most(width + 0.01);
  const read = lines.map(({ clusters }) =>
    clusters
      .toSorted((one, other) => one.start - other.start)
      .map((cluster) => cluster.text)
      .join(''),
  );
  return { size, lines: read };
}

describe('Text that must fit', () => {
  it('has the largest size at which it needs no hyphen', async () => {
    expect(await fit('Anna Nguyễn', 60, 1)).to.deep.equal({ size: 8, lines: ['Anna Nguyễn'] });
    expect(await fit('Anna Nguyễn', 40, 1)).to.deep.equal({ size: 6, lines: ['Anna Nguyễn'] });
    expect(await fit('Anna Nguyễn', 40)).to.deep.equal({ size: 8, lines: ['Anna', 'Nguyễn'] });
  });

  it('gets hyphens only if it would not fit otherwise', async () => {
    const { size, lines } = await fit('Schwarzenegger', 36);
    expect({ size, lines }).to.deep.equal({ size: 8, lines: ['Schwar\u00ad', 'zenegger'] });
  });

  it('ends in an ellipsis if it is too long at the smallest size', async () => {
    const { size, lines } = await fit('word '.repeat(30), 60);
    expect(size).to.equal(6);
    expect(lines).to.have.length(2);
    expect(lines[1]).to.match(/^word.*…$/);
  });

  it('is split between graphemes if it has no other break', async () => {
    const { lines } = await fit('👨‍👩‍👧'.repeat(30), 60);
    expect(lines.join('')).to.match(/^(?:👨‍👩‍👧)+…$/u);
  });

  for (const [what, text, expected] of [
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
    ['NUL', 'a\0b', 'a\ufffdb'],
    ['an emoji of a hundred people', '👨‍'.repeat(100), `${'👨‍'.repeat(8)}\ufffd`],
    ['bidirectional overrides', 'a\u202eb', 'a\ufffdb'],
    ['more than 15 accents on a letter', `q${'\u0308'.repeat(200)}y`, `q${'\u0308'.repeat(15)}\ufffdy`],
  ] as const) {
    it(`shows a replacement for ${what}`, async () => {
      const { lines } = await fit(text, 600);
      expect(lines.join('')).to.equal(expected.normalize('NFC'));
    });
  }

  it('takes bounded time and space for texts of any length', async () => {
    for (const text of ['a', '\u0301', 'م', '王', '😀', '-', ' x', '\ud800', 'ﷺ']) {
      const { lines } = await fit(text.repeat(100_000), 60, 4);
      expect(lines.length).to.be.at.most(4);
      expect(lines.join('').length).to.be.below(1_000);
    }
    expect((await fit('', 60)).lines).to.deep.equal([]);
  });

  it('draws Han characters as in the region that a name is likely from', () => {
    const regions = {
      王小明: 'sc',
      張偉: 'tc',
      桜井: 'jp',
      桜井さくら: 'jp',
      '김 金': 'kr',
      Anna: 'sc',
    } as const;
    for (const [name, region] of Object.entries(regions)) expect(likelyRegion(name), name).to.equal(region);
  });
});
