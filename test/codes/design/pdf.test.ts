import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Print } from '../../../src/codes/design/design.ts';
import type { Picture } from '../../../src/codes/image/draw.ts';
import { drawPicture } from '../../../src/codes/image/draw-picture.ts';
import { imageEtag } from '../../../src/codes/image/image-thread.ts';
import { readers } from '../../../src/codes/proof/prove.ts';
import { findProgram } from '../../support/find-program.ts';
import { designed, oneOfEach, plain } from './designs.ts';

const run = promisify(execFile);

describe('The PDF of a code', () => {
  let folder: string;
  before(async function () {
    if (!findProgram('pdftoppm')) return this.skip();
    folder = await mkdtemp(join(tmpdir(), 'qrelay-pdf-'));
  });
  after(async () => {
    if (folder) await rm(folder, { recursive: true });
  });

  async function save(picture: Picture): Promise<string> {
    const file = join(folder, 'code.pdf');
    await writeFile(file, await drawPicture(picture, 'pdf'));
    return file;
  }

  /** As gray pixels, at 300 dots per inch. */
  async function render(picture: Picture) {
    const file = await save(picture);
    const { stderr } = await run('pdftoppm', [
      '-r',
      '300',
      '-gray',
      '-singlefile',
      file,
      join(folder, 'page'),
    ]);
    expect(stderr, 'errors in the PDF').to.equal('');
    const image = await readFile(join(folder, 'page.pgm'));
    const [, width = 0, height = 0] =
      /^P5\s(\d+) (\d+)\s255\s/.exec(image.toString('latin1', 0, 40))?.map(Number) ?? [];
    const values = Float32Array.from(image.subarray(image.length - width * height), (value) => value / 255);
    return { width, height, values };
  }

  /** Millimeters, by the name of the box: left, bottom, right, top. */
  async function boxes(print: Print): Promise<Record<string, number[]>> {
    const { stdout } = await run('pdfinfo', ['-box', await save({ ...plain, print })]);
    const found = stdout.matchAll(/^(\w+Box): +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$/gm);
    return Object.fromEntries(
      [...found].map(([, name, ...points]) => [
        name,
        points.map((value) => Math.round((Number(value) * 254) / 72) / 10),
      ]),
    );
  }

  it('is as wide as asked for, in millimeters', async () => {
    expect(await boxes({ widthMm: 35, bleedMm: 0, cropMarks: false })).to.deep.include({
      MediaBox: [0, 0, 35, 35],
      TrimBox: [0, 0, 35, 35],
    });
    const { width } = await render({ ...plain, print: { widthMm: 50.8, bleedMm: 0, cropMarks: false } });
    expect(width).to.equal(600);
  });

  it('has a bleed, and room for crop marks outside of it', async () => {
    expect(await boxes({ widthMm: 40, bleedMm: 3, cropMarks: false })).to.deep.include({
      MediaBox: [0, 0, 46, 46],
      BleedBox: [0, 0, 46, 46],
      TrimBox: [3, 3, 43, 43],
    });
    expect(await boxes({ widthMm: 40, bleedMm: 3, cropMarks: true })).to.deep.include({
      MediaBox: [0, 0, 56, 56],
      BleedBox: [5, 5, 51, 51],
      TrimBox: [8, 8, 48, 48],
    });
  });

  it('fills the bleed with the background, and draws crop marks in line with the edges', async () => {
    const print = { widthMm: 50.8, bleedMm: 2.54, cropMarks: true };
    const { width, values } = await render({ ...plain, backgroundColor: '#c0c0c0', print });
    const at = (xMm: number, yMm: number) =>
      values[Math.round(yMm * 11.811) * width + Math.round(xMm * 11.811)] ?? -1;
    const edge = 5 + 2.54;
    expect(at(edge + 1, 5.3), 'in the bleed').to.be.closeTo(0.75, 0.01);
    expect(at(edge + 1, 4.7), 'outside the bleed').to.equal(1);
    const dark = (xMm: number, yMm: number) =>
      Math.min(...[-0.1, 0, 0.1].flatMap((dx) => [-0.1, 0, 0.1].map((dy) => at(xMm + dx, yMm + dy))));
    expect(dark(2, edge), 'a mark').to.be.below(0.6);
    expect(dark(edge, 2), 'a mark').to.be.below(0.6);
    expect(dark(2, edge + 2), 'no mark').to.equal(1);
  });

  for (const design of oneOfEach) {
    it(`is read by both readers with ${JSON.stringify(design)}`, async () => {
      const page = await render(designed(design, { print: { widthMm: 30, bleedMm: 0, cropMarks: false } }));
      for (const [name, read] of Object.entries(readers)) expect(await read(page), name).to.equal(plain.text);
    });
  }

  it('consists of vectors only, and of the same bytes each time', async () => {
    const picture = designed({ gradientColor: '#7a0060', frame: 'card', frameText: 'Scan me' });
    const pdf = Buffer.from(await drawPicture(picture, 'pdf'));
    expect(pdf.toString('latin1')).to.not.match(/\/Image|\/Font/);
    expect(Buffer.compare(pdf, await drawPicture(picture, 'pdf'))).to.equal(0);
  });

  it('has an ETag that depends on the page', () => {
    const print = { widthMm: 40, bleedMm: 3, cropMarks: true };
    const pages = [
      print,
      { ...print, widthMm: 41 },
      { ...print, bleedMm: 2 },
      { ...print, cropMarks: false },
    ];
    expect(new Set(pages.map((page) => imageEtag({ ...plain, print: page }, 'pdf'))).size).to.equal(4);
    expect(imageEtag({ ...plain, print }, 'svg')).to.equal(imageEtag(plain, 'svg'));
  });
});
