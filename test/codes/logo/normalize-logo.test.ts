import { expect } from 'chai';
import { readPng } from '../../../src/codes/image/pixels.ts';
import { normalizeLogo } from '../../../src/codes/files/normalize-image.ts';
import { colorAt } from '../design/png-pixels.ts';
import { jpeg, png, pngOf, svg, webp } from './logo-files.ts';

const read = async (file: Buffer) => readPng(await normalizeLogo(file));

/** Lossy formats change colors a little. */
function expectNear(color: string, expected: string): void {
  const channels = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  const wanted = channels(expected);
  channels(color).forEach((value, index) => expect(value, color).to.be.closeTo(wanted[index] ?? 0, 12));
}

describe('An uploaded logo', () => {
  const raster: [string, () => Buffer | Promise<Buffer>][] = [
    ['PNG', () => png()],
    ['JPEG', () => jpeg()],
    ['lossy WebP', () => webp()],
    ['lossless WebP', () => webp(64, 64, 1)],
  ];
  for (const [name, file] of raster) {
    it(`keeps the pixels of a ${name}`, async () => {
      const pixels = await read(await file());
      expect([pixels.width, pixels.height]).to.deep.equal([64, 64]);
      expectNear(colorAt(pixels, 3, 3), '#c00000');
      expectNear(colorAt(pixels, 32, 50), '#ffffff');
    });
  }

  const kinds: [string, [number, number], number[], string][] = [
    ['gray', [8, 0], [0x40], '#404040'],
    ['gray with alpha', [8, 4], [0x40, 0x80], '#40404080'],
    ['RGB', [8, 2], [1, 2, 3], '#010203'],
    ['RGB with 16 bits', [16, 2], [1, 0, 2, 0, 3, 0], '#010203'],
    ['RGBA', [8, 6], [1, 2, 3, 4], '#01020304'],
  ];
  for (const [name, kind, pixel, color] of kinds) {
    it(`keeps the color of a PNG in ${name}`, async () => {
      expect(colorAt(await read(pngOf(4, 3, kind, pixel)), 2, 1)).to.equal(color);
    });
  }

  it('is made smaller, with its proportions and the average of its colors', async () => {
    const pixels = await read(png(2_000, 1_000));
    expect([pixels.width, pixels.height]).to.deep.equal([512, 256]);
    expect(colorAt(pixels, 10, 10)).to.equal('#c00000');
    expect(colorAt(pixels, 256, 200)).to.equal('#ffffff');
  });

  const drawn: [string, Buffer, [x: number, y: number, color: string][]][] = [
    [
      'paths, with holes by the even-odd rule',
      svg('<path fill-rule="evenodd" fill="#ABC" d="M0 0h24v24H0zM8 8h8v8H8z"/>'),
      [
        [10, 10, '#aabbcc'],
        [256, 256, '#00000000'],
      ],
    ],
    [
      'circles, ellipses and rectangles',
      svg(
        '<rect width="24" height="12" fill="navy"/><circle cx="12" cy="12" r="4" fill="rgb(1, 2, 3)"/><ellipse cx="12" cy="20" rx="6" ry="2" fill="teal"/>',
      ),
      [
        [20, 20, '#000080'],
        [256, 256, '#010203'],
        [256, 427, '#008080'],
      ],
    ],
    [
      'polygons, curves and arcs',
      svg(
        '<polygon points="0,0 24,0 24,24"/><path fill="#f00" d="M2 20q4-8 8 0t8 0Z M2 14a3 3 0 0 0 6 0z"/>',
      ),
      [
        [400, 100, '#000000'],
        [107, 320, '#ff0000'],
      ],
    ],
    [
      'classes, styles and what is inherited',
      svg(
        '<defs><style>.a, .b{fill:#00f}</style></defs><g class="a"><rect width="12" height="12"/><rect x="12" width="12" height="12" style="fill:#0f0"/><rect y="12" width="12" height="12" fill="none"/></g>',
      ),
      [
        [100, 100, '#0000ff'],
        [400, 100, '#00ff00'],
        [100, 400, '#00000000'],
      ],
    ],
    [
      'transforms of groups and shapes, in the order of CSS',
      svg(
        '<g transform="translate(12 0)"><rect width="6" height="6" transform="scale(2)"/></g>',
        'viewBox="0 0 24 12"',
      ),
      [
        [100, 100, '#00000000'],
        [300, 200, '#000000'],
        [500, 250, '#000000'],
      ],
    ],
    [
      'a viewBox that does not start at 0, and what editors add',
      Buffer.from(
        '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<svg xmlns="http://www.w3.org/2000/svg" xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" viewBox="-10 -10 10 10"><title>Logo</title><sodipodi:namedview pagecolor="#fff"/><rect x="-10" y="-10" width="5" height="5"/></svg>',
      ),
      [
        [100, 100, '#000000'],
        [400, 400, '#00000000'],
      ],
    ],
  ];
  for (const [what, file, points] of drawn) {
    it(`is drawn from an SVG with ${what}`, async () => {
      const pixels = await read(file);
      expect(Math.max(pixels.width, pixels.height)).to.equal(512);
      for (const [x, y, color] of points) expect(colorAt(pixels, x, y), `${x} ${y}`).to.equal(color);
    });
  }
});
