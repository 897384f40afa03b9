// Inputs: src/codes/text
import { expect } from 'chai';
import { type ShapedCluster, shapeText } from '../../../src/codes/text/shape-text.ts';

/** As it is seen, from left to right. */
const seen = ({ clusters }: { clusters: ShapedCluster[] }) => clusters.map(({ text }) => text).join('');
const glyphsOf = ({ clusters }: { clusters: ShapedCluster[] }) =>
  clusters.flatMap(({ glyphs }) => glyphs.map(({ glyph }) => glyph));

describe('Shaped text', () => {
  it('has its runs in the order in which they are seen', async () => {
    expect(seen(await shapeText('Anna Nguyễn'))).to.equal('Anna Nguyễn');
    expect(seen(await shapeText('שלום'))).to.equal('םולש');
    expect(seen(await shapeText('Café לחם'))).to.equal('Café םחל');
    expect(seen(await shapeText('Ahmed أحمد 123'))).to.equal('Ahmed 123 دمحأ');
    expect(seen(await shapeText('שלום (ABC) 12'))).to.equal('12 )ABC( םולש');
  });

  it('keeps Latin letters of a line from right to left in order, and its punctuation at the left', async () => {
    const line = await shapeText('ABC!', 'rtl');
    expect(seen(line)).to.equal('!ABC');
    expect(line.isRightToLeft).to.equal(true);
  });

  it('joins Arabic letters', async () => {
    const [single, joined] = [await shapeText('ب'), await shapeText('ببب')];
    expect(new Set(glyphsOf(joined)).size).to.be.above(2);
    expect(joined.width).to.be.below(3 * single.width);
  });

  it('puts accents on letters that no font has in one piece', async () => {
    const [bare, accented] = [await shapeText('q'), await shapeText('q\u0303')];
    expect(accented.clusters).to.have.length(1);
    expect(accented.width).to.equal(bare.width);
    expect(accented.clusters[0]?.glyphs).to.have.length(2);
  });

  it('shapes scripts of one font file apart', async () => {
    // The vowel sign is drawn before its consonant.
    const [{ clusters: alone }, { clusters: mixed }] = [await shapeText('हि'), await shapeText('Raj हि')];
    expect(mixed.at(-1)?.glyphs).to.deep.equal(alone[0]?.glyphs);
  });

  it('brings letters closer together that leave a gap', async () => {
    const [together, apart] = [await shapeText('AV'), [await shapeText('A'), await shapeText('V')]];
    expect(together.width).to.be.below(apart.reduce((sum, { width }) => sum + width, 0));
  });
});
