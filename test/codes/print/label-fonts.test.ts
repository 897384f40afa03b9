// Inputs: src/codes
import { expect } from 'chai';
import { drawPage } from '../../../src/codes/print/label-page.ts';
import { labelOptions } from '../../../src/codes/print/labels.ts';
import { type PrintedCode, type Printer, printLabels } from '../../../src/codes/print/print-codes.ts';
import { composeFont } from '../../../src/codes/text/pdf-text.ts';
import { canCheckPdf, expectValidPdf, pdfFonts, typedText } from '../../support/render-pdf.ts';
import { plain } from '../design/designs.ts';

/** Draws in this thread, and copies as a thread would. */
function printerHere(): Printer & { fontSizes: number[] } {
  const fontSizes: number[] = [];
  return {
    fontSizes,
    drawPage: async (_caller, request) => structuredClone(await drawPage(structuredClone(request))),
    async composeFont(_caller, glyphs) {
      fontSizes.push(glyphs.length);
      return structuredClone(await composeFont(structuredClone(glyphs)));
    },
    close: async () => undefined,
  };
}

async function print(names: string[], printer = printerHere()): Promise<Buffer> {
  const codes = names.map((name): PrintedCode => ({ name, shareToken: '0123456789', picture: plain }));
  const parts: Buffer[] = [];
  for await (const part of printLabels(printer, { key: 'one' }, codes, labelOptions({ sheet: 'L7160' })))
    parts.push(part);
  return Buffer.concat(parts);
}

describe('The fonts of label sheets', () => {
  it('have each glyph once, however many pages use it', async () => {
    const printer = printerHere();
    await print(Array<string>(50).fill('Anna Nguyễn'), printer);
    // A, n, a, space, N, g, u, y, ễ.
    expect(printer.fontSizes).to.deep.equal([9]);
  });

  it('are continued by another font before one gets too large, and every name is found', async function () {
    if (!canCheckPdf()) return this.skip();
    // Hangul has 11,172 syllables in a row.
    const names = Array.from({ length: 21 * 12 }, (_, name) =>
      String.fromCodePoint(...Array.from({ length: 20 }, (_item, index) => 0xac00 + 20 * name + index)),
    );
    const printer = printerHere();
    const pdf = await print(names, printer);
    expect(printer.fontSizes).to.have.length(2);
    for (const glyphs of printer.fontSizes) expect(glyphs).to.be.below(5_000);
    const fonts = await pdfFonts(pdf);
    expect(new Set(fonts.map(({ name }) => name)).size).to.equal(2);
    for (const font of fonts) expect(font).to.deep.include({ isEmbedded: true, isSubset: true });
    const text = await typedText(pdf);
    for (const name of names) expect(text).to.include(name);
    await expectValidPdf(pdf);
  });

  it('are the same bytes each time', async () => {
    const names = ['Anna Nguyễn', 'محمد', '王小明'];
    expect(Buffer.compare(await print(names), await print(names))).to.equal(0);
  });
});
