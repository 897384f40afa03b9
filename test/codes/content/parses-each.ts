import { expect } from 'chai';
import * as fc from 'fast-check';
import { composeContent, fieldErrors, fieldsOfContent } from '../../../src/codes/content/content-fields.ts';
import type { ContentFields } from '../../../src/codes/content/content-type.ts';
import { parseContent, type CodeContent, type CodeType } from '../../../src/codes/content/content-types.ts';

/** The guarantee, the stored content, and the expected result: at least these fields, or unchanged text. */
export type Row = [guarantee: string, content: string, expected: Partial<CodeContent> | 'text'];

export function parsesEach(type: CodeType, rows: Row[]): void {
  for (const [guarantee, content, expected] of rows) {
    it(guarantee, () => {
      const read = parseContent(type, content);
      if (expected === 'text') expect(read).to.deep.equal({ kind: 'text', text: content });
      else expect(read).to.deep.include(expected);
    });
  }
}

/** For fields that are valid, and written as the form writes them. */
export function composesFields(type: CodeType, filled: fc.Arbitrary<ContentFields>): void {
  it(`composes a ${type} that parses to the same fields`, () => {
    fc.assert(
      fc.property(filled, (fields) => {
        expect(fieldErrors(type, fields)).to.deep.equal([]);
        const content = composeContent(type, fields);
        expect(parseContent(type, content).kind === 'text').to.equal(type === 'text');
        expect(fieldsOfContent(type, content)).to.deep.equal(fields);
      }),
      { numRuns: 300 },
    );
  });
}

export const noSpaces = 'x'.repeat(2048);

/** Content that no type but `url` and `text` should understand. */
export const hostileRows: Row[] = [
  ['shows a script tag as text', '<script>alert("1")</script>', 'text'],
  ['shows a javascript: address as text', 'javascript:alert(document.cookie)', 'text'],
  ['shows a javascript: address in capitals and with a tab as text', 'JaVa\tScRiPt:alert(1)', 'text'],
  ['shows a data: address as text', 'data:text/html,<script>alert(1)</script>', 'text'],
  ['shows header lines as text', 'x\r\nSet-Cookie: a=b\r\n\r\n<html>', 'text'],
  ['shows two kilobytes without a space as text', noSpaces, 'text'],
  ['shows emoji as text', '👩‍👩‍👧‍👦🎉', 'text'],
  ['shows right-to-left text as text', 'مرحبا بالعالم \u202eabc', 'text'],
  ['shows quotes as text', `"'\`" onmouseover="alert(1)`, 'text'],
  ['shows nothing but white space as text', ' \t\r\n', 'text'],
  ['shows nothing at all as text', '', 'text'],
];
