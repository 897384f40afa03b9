// Inputs: src/web/ui/crop-rectangle.browser.js
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  moved,
  resized,
  squareIn,
  wholeOf,
  zoomed,
  zoomOf,
} from '../../../src/web/ui/crop-rectangle.browser.js';

const picture = { width: 400, height: 200 };

describe('The part of a picture that is kept', () => {
  it('is the whole picture at first, or the square in its middle', () => {
    expect(wholeOf(picture, false)).to.deep.equal({ x: 0, y: 0, width: 400, height: 200 });
    expect(wholeOf(picture, true)).to.deep.equal({ x: 100, y: 0, width: 200, height: 200 });
    expect(squareIn({ x: 10, y: 20, width: 40, height: 100 })).to.deep.equal({
      x: 10,
      y: 50,
      width: 40,
      height: 40,
    });
  });

  it('keeps the opposite corner where one is moved', () => {
    const part = { x: 100, y: 50, width: 100, height: 100 };
    expect(resized(part, 'se', 20, -10, picture, false)).to.deep.equal({
      x: 100,
      y: 50,
      width: 120,
      height: 90,
    });
    expect(resized(part, 'nw', 20, -10, picture, false)).to.deep.equal({
      x: 120,
      y: 40,
      width: 80,
      height: 110,
    });
    expect(resized(part, 'ne', 20, 0, picture, true)).to.deep.equal({
      x: 100,
      y: 30,
      width: 120,
      height: 120,
    });
  });

  it('stays inside the picture, keeps a square square, and never vanishes', () => {
    const length = fc.double({ min: -1_000, max: 1_000, noNaN: true });
    const step = fc.record({
      kind: fc.constantFrom('move', 'zoom', 'nw', 'ne', 'sw', 'se'),
      dx: length,
      dy: length,
    });
    const size = fc.record({
      width: fc.integer({ min: 1, max: 2_000 }),
      height: fc.integer({ min: 1, max: 2_000 }),
    });
    fc.assert(
      fc.property(size, fc.boolean(), fc.array(step, { maxLength: 20 }), (whole, isSquare, steps) => {
        let part = wholeOf(whole, isSquare);
        for (const { kind, dx, dy } of steps) {
          if (kind === 'move') part = moved(part, dx, dy, whole);
          else if (kind === 'zoom') part = zoomed(part, 5 + Math.abs(dx % 95), whole);
          else part = resized(part, kind, dx, dy, whole, isSquare);
          const tolerance = 1e-6;
          expect(part.x).to.be.at.least(-tolerance);
          expect(part.y).to.be.at.least(-tolerance);
          expect(part.x + part.width).to.be.at.most(whole.width + tolerance);
          expect(part.y + part.height).to.be.at.most(whole.height + tolerance);
          expect(Math.min(part.width, part.height)).to.be.above(0);
          if (isSquare) expect(part.width).to.be.closeTo(part.height, tolerance);
        }
      }),
    );
    expect(zoomOf(zoomed(wholeOf(picture, false), 50, picture), picture)).to.equal(50);
  });
});
