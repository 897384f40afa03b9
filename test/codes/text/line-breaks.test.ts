// Inputs: src/codes/text/line-breaks.ts
import { expect } from 'chai';
import {
  graphemeBreaks,
  type LineBreak,
  syllableBreaks,
  wordBreaks,
} from '../../../src/codes/text/line-breaks.ts';

/** The text with a bar at each break. */
function marked(text: string, breaks: LineBreak[]): string {
  const positions = new Set(breaks.map(({ at }) => at));
  return Array.from(
    { length: text.length },
    (_, index) => (positions.has(index) ? '|' : '') + text[index],
  ).join('');
}

describe('Breaks of lines', () => {
  for (const expected of [
    'Anna |Nguyễn',
    'Gabriel |García-|Márquez',
    'Table |7 / |Terrace |(outside)',
    // Not before closing punctuation or a small kana, and not after opening punctuation.
    '王|小|明|（餐|厅）。|好',
    'ラー|メ|ン|ショッ|プ',
    'สวัสดี|ครับ|ผม',
    // Korean has spaces.
    '김민준 |서울특별시',
    'محمد |علي',
  ]) {
    it(`are between words: ${expected}`, () => {
      const text = expected.replaceAll('|', '');
      expect(marked(text, wordBreaks(text))).to.equal(expected);
    });
  }

  for (const expected of [
    'Donau|dampf|schiff|fahrts|ge|sell|schaft',
    'Papa|do|pou|los',
    'Schwar|ze|neg|ger',
    'Már|quez',
    'Вели|ко|му|че|ниць|кий',
    'Παπα|δο|πού|λου',
    // Too short, or without a vowel in the middle.
    'Anna',
    'rhythm',
    'Nguyễn',
    // A hyphen would change an address or a number.
    'anna.nguyen@example.com',
    'example.com/menus',
    '서|울|특|별|시',
  ]) {
    it(`are between syllables: ${expected}`, () => {
      const text = expected.replaceAll('|', '');
      expect(marked(text, syllableBreaks(text))).to.equal(expected);
    });
  }

  it('never separate a letter from its accents, or parts of an emoji', () => {
    for (const grapheme of ['e\u0301\u0323', '👨‍👩‍👧', '🇩🇪', 'क्षि', 'น้ำ'.slice(0, 2)]) {
      const text = `ab${grapheme}cd`;
      const inside = [...wordBreaks(text), ...syllableBreaks(text), ...graphemeBreaks(text)].filter(
        ({ at }) => at > 2 && at < 2 + grapheme.length,
      );
      expect(inside, grapheme).to.deep.equal([]);
    }
  });
});
