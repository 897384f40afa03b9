import { expect } from 'chai';
import { parseSvg } from '../../../src/codes/files/parse-svg.ts';
import { svg } from './logo-files.ts';

/** How often an entry of a map was set: once for each declaration that was read or copied. */
function workOf(parse: () => void): number {
  const { set } = Map.prototype;
  let count = 0;
  const counted = function counted(this: Map<unknown, unknown>, key: unknown, value: unknown) {
    count += 1;
    return set.call(this, key, value);
  };
  Reflect.set(Map.prototype, 'set', counted);
  try {
    parse();
  } finally {
    Reflect.set(Map.prototype, 'set', set);
  }
  return count;
}

/** `selectors` classes, all the same, with `declarations` that no drawing program writes. */
const block = (selectors: number, declarations: number) =>
  `${Array.from({ length: selectors }, () => '.a').join(',')}{${Array.from({ length: declarations }, (_, n) => `x${n}:1`).join(';')}}`;

describe('The styles of an SVG', () => {
  const square = '<path class="a b" d="M2 2h20v20H2z"/>';

  it('take work in proportion to their length', () => {
    const work = (inner: string) => workOf(() => parseSvg(svg(`${inner}${square}`)));
    const sheet = (times: number) => `<style>${block(100, 200).repeat(times)}</style>`;
    // Each selector and each declaration once, not each declaration for each selector.
    expect(work(sheet(1)) - work('')).to.be.below(2 * (100 + 200));
    expect(work(sheet(20)) / work(sheet(10))).to.be.below(2.1);
    // Nor are the rules so far copied for each of the next <style> elements.
    const sheets = (count: number) =>
      Array.from({ length: count }, (_, n) => `<style>.c${n}{fill:red}</style>`).join('');
    expect(work(sheets(400)) / work(sheets(200))).to.be.below(2.1);
  });

  it('are bounded over all <style> elements of a file', () => {
    const parse = (inner: string) => () => parseSvg(svg(`${inner}${square}`));
    expect(parse(`<style>.a{${';'.repeat(60_000)}}</style>`)).to.not.throw();
    expect(parse(`<style>.a{${';'.repeat(60_000)}}</style>`.repeat(2))).to.throw(
      'is an SVG with style sheets that are too long',
    );
    expect(parse('<style>.a{fill:red}</style>'.repeat(2_500))).to.not.throw();
    expect(parse(`<style>${'.a,'.repeat(2_600)}.b{fill:red}</style>`.repeat(2))).to.throw(
      'is an SVG with too many styles',
    );
  });

  it('add up where several rules are for one class', () => {
    const [shape] = parseSvg(
      svg(`<style>.a{fill:#f00;fill-rule:evenodd}</style><style>.a,.b{fill:#00f}</style>${square}`),
    ).shapes;
    expect(shape).to.include({ paint: '#0000ff', isEvenOdd: true });
  });
});
