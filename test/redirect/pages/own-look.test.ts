import { expect } from 'chai';
import * as fc from 'fast-check';
import { contrastOf, luminance } from '../../../src/color.ts';
import { colors } from '../../../src/theme.ts';
import { accentOf } from '../../../src/redirect/pages/own-look.ts';

const long = (color: string) => (color.length === 4 ? color.replace(/[0-9a-f]/g, '$&$&') : color);
const contrast = (one: string, other: string) => contrastOf(luminance(long(one)), luminance(long(other)));

describe("The owner's color on a share page", () => {
  it('keeps a contrast of 4.5 with what is behind and upon it in both themes, and of 3 with its tint', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const color = `#${value.toString(16).padStart(6, '0')}`;
        const style = accentOf(color)?.style.toString() ?? '';
        const found = [...style.matchAll(/--accent:([^;]+);--accent-ink:([^;]+);--tint:([^}]+)}/g)];
        expect(found).to.have.length(2);
        found.forEach(([, accent = '', ink = '', tint = ''], theme) => {
          for (const behind of [colors.paper[theme] ?? '', colors.card[theme] ?? '', ink])
            expect(contrast(accent, behind), `${color} ${accent} ${behind}`).to.be.at.least(4.5);
          expect(contrast(accent, tint), `${color} ${accent} ${tint}`).to.be.at.least(3);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('stays as it is where it can be read, and is ignored where it is no color', () => {
    expect(accentOf('#7a1f3d')?.style.toString()).to.contain('--accent:#7a1f3d;--accent-ink:#fff');
    for (const color of [null, undefined, '', 'red', '#fff', '#123456;}*{', '</style>'])
      expect(accentOf(color)).to.equal(undefined);
  });
});
