import { expect } from 'chai';
import { rasterize } from '../../../src/codes/design/rasterize.ts';
import { pixelsToPng } from '../../../src/codes/image/pixels.ts';
import { circle, type Path, rectangle, reversed, roundedRectangle } from '../../../src/codes/design/scene.ts';
import { colorAt, readColorPng } from './png-pixels.ts';

const draw = (path: Path, paint = '#ff0000', background?: string) =>
  rasterize({ width: 10, height: 10, background, shapes: [{ path, paint }] }, 100);

/** The covered area in pixels. */
function areaOf(path: Path): number {
  const { data } = draw(path);
  let sum = 0;
  for (let at = 3; at < data.length; at += 4) sum += (data[at] as number) / 255;
  return sum;
}

describe('A rasterized scene', () => {
  it('fills exactly the pixels of a shape, and leaves the others transparent', () => {
    const pixels = draw(rectangle(2, 3, 4, 5));
    expect([pixels.width, pixels.height]).to.deep.equal([100, 100]);
    for (const [x, y] of [
      [20, 30],
      [59, 30],
      [20, 79],
      [59, 79],
    ] as const)
      expect(colorAt(pixels, x, y)).to.equal('#ff0000');
    for (const [x, y] of [
      [19, 30],
      [20, 29],
      [60, 79],
      [59, 80],
    ] as const)
      expect(colorAt(pixels, x, y)).to.equal('#00000000');
  });

  it('gives a pixel that is covered in part that part of the color', () => {
    const half = draw(rectangle(1.05, 1, 1, 1), '#ff0000', '#0000ff');
    expect(colorAt(half, 9, 12)).to.equal('#0000ff');
    expect(colorAt(half, 10, 12)).to.equal('#800080');
    expect(colorAt(half, 11, 12)).to.equal('#ff0000');
    expect(colorAt(draw(rectangle(1.05, 1, 1, 1)), 10, 12)).to.equal('#ff000080');
  });

  it('has the area of circles, round corners and holes', () => {
    expect(areaOf(circle(5, 5, 4))).to.be.closeTo(Math.PI * 1600, 16);
    expect(areaOf(roundedRectangle(1, 1, 8, 8, [2, 2, 2, 2]))).to.be.closeTo(6400 - (4 - Math.PI) * 400, 16);
    const ring = [...circle(5, 5, 4), ...reversed(circle(5, 5, 3))];
    expect(areaOf(ring)).to.be.closeTo(Math.PI * 700, 16);
  });

  it('counts overlapping shapes of a path once', () => {
    expect(areaOf([...rectangle(1, 1, 4, 4), ...rectangle(3, 3, 4, 4)])).to.be.closeTo(2800, 1);
  });

  it('clips what is outside the image', () => {
    expect(areaOf(rectangle(-5, -5, 30, 30))).to.equal(10_000);
    expect(areaOf(rectangle(20, 20, 5, 5))).to.equal(0);
  });

  it('paints gradients from one color to the other, linear and radial', () => {
    const gradient = { from: '#000000', to: '#ffffff', y1: 5, y2: 5 };
    const paints = [
      { ...gradient, kind: 'linear', x1: 0, x2: 10 },
      { ...gradient, kind: 'radial', x1: 5, x2: 10 },
    ] as const;
    const [linear, radial] = paints.map((paint) =>
      rasterize({ width: 10, height: 10, shapes: [{ path: rectangle(0, 0, 10, 10), paint }] }, 100),
    );
    if (!linear || !radial) throw new Error('Nothing was drawn');
    expect(['#000000', '#010101']).to.include(colorAt(linear, 0, 50));
    expect(colorAt(linear, 50, 0)).to.match(/^#(80|81)\1\1$/);
    expect(['#fefefe', '#ffffff']).to.include(colorAt(linear, 99, 99));
    expect(['#000000', '#020202', '#040404']).to.include(colorAt(radial, 50, 50));
    expect(['#fcfcfc', '#fdfdfd', '#fefefe']).to.include(colorAt(radial, 99, 50));
    expect(colorAt(radial, 0, 0)).to.equal('#ffffff');
  });

  it('has modules of whole pixels, centered on the background', () => {
    const scene = {
      width: 10,
      height: 10,
      background: '#00ff00',
      shapes: [{ path: rectangle(0, 0, 10, 10), paint: '#ff0000' }],
    };
    const pixels = rasterize(scene, 108);
    expect(colorAt(pixels, 3, 50)).to.equal('#00ff00');
    expect(colorAt(pixels, 4, 50)).to.equal('#ff0000');
    expect(colorAt(pixels, 103, 50)).to.equal('#ff0000');
    expect(colorAt(pixels, 104, 50)).to.equal('#00ff00');
  });

  it('is the same after it was encoded as PNG', () => {
    const pixels = draw(circle(5, 5, 3.3), '#12ab9f');
    const { data } = readColorPng(pixelsToPng(pixels));
    expect(Buffer.from(data).equals(Buffer.from(pixels.data))).to.equal(true);
  });
});
