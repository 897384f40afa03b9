import { expect } from 'chai';
import { splitAlignment, withoutEyes } from '../../../src/codes/design/symbol-shapes.ts';
import { symbolModules } from '../../../src/codes/image/symbol.ts';

/** The number of alignment patterns, for 17 + 4 times the version modules. */
const patternsByVersion = [0, 1, 1, 1, 1, 1, 6, 6, 13, 13, 22, 22, 33, 33, 46, 46];
const versions = [1, 2, 3, 4, 5, 6, 7, 13, 14, 20, 21, 27, 28, 34, 35, 40];

function symbolOf(version: number): boolean[][] {
  for (let length = 1; ; length += 5) {
    const cells = symbolModules('x'.repeat(length), 'L');
    if (cells.length === 17 + 4 * version) return cells;
  }
}

describe('The alignment patterns of a symbol', () => {
  for (const [index, version] of versions.entries()) {
    it(`are found in version ${version}`, () => {
      const { alignment } = splitAlignment(withoutEyes(symbolOf(version)));
      const isDark = (x: number, y: number) => alignment[y]?.[x] === true;
      const centers = alignment.flatMap((row, y) =>
        row.flatMap((isSet, x) =>
          isSet && [-1, 0, 1].every((dy) => [-1, 0, 1].every((dx) => isDark(x + dx, y + dy) === (!dx && !dy)))
            ? [`${x} ${y}`]
            : [],
        ),
      );
      const patterns = patternsByVersion[index] as number;
      expect(centers).to.have.length(patterns);
      // A ring of 16 dark modules around a dark center.
      expect(alignment.flat().filter(Boolean)).to.have.length(17 * patterns);
    });
  }

  it('and the rest are the whole symbol', () => {
    const cells = withoutEyes(symbolOf(7));
    const { alignment, rest } = splitAlignment(cells);
    expect(rest.map((row, y) => row.map((isDark, x) => isDark !== alignment[y]?.[x]))).to.deep.equal(cells);
  });
});
