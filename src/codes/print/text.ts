import { fontName, pdfNumber } from './pdf-writer.ts';

/** Text in Helvetica, which every PDF viewer has. Sizes and positions are in points. */

/** The widths of the characters from the space to the tilde, in thousandths of the font size. */
const asciiWidths = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
  556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
  500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
  556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
  278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/** Wide enough for all others, and exact where they have no base letter. */
const otherWidth = 1000;

/** What WinAnsiEncoding has from 0x80 on, where it differs from Latin-1. */
const windows1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

/** Letters that do not decompose into one with a mark. */
const plainLetters: Record<string, string> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ħ: 'H',
  ħ: 'h',
  ı: 'i',
  Ŧ: 'T',
  ŧ: 't',
  '\u2011': '-',
};

/** The text as the font can show it, with plain letters for those it does not have; undefined if too much is lost. */
export function printable(text: string): string | undefined {
  const characters = [...text.normalize('NFC')].map((character) => {
    if (byteOf(character) !== undefined) return character;
    const base = plainLetters[character] ?? character.normalize('NFD').charAt(0);
    return byteOf(base) === undefined ? '' : base;
  });
  const lost = characters.filter((character) => character === '').length;
  const shown = characters.join('').replace(/\s+/g, ' ').trim();
  return shown === '' || lost * 2 > characters.length ? undefined : shown;
}

/** At a font size of 1. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width / 1_000;
}

/** Operators that write the text from the left end of its baseline, where y points up. */
export function showText(text: string, x: number, y: number, size: number): string {
  const hex = [...text]
    .map((character) => (byteOf(character) ?? 0x3f).toString(16).padStart(2, '0'))
    .join('');
  return `BT ${fontName} ${pdfNumber(size)} Tf ${pdfNumber(x)} ${pdfNumber(y)} Td <${hex}> Tj ET`;
}

function widthOf(character: string): number {
  const base = character.normalize('NFD').charCodeAt(0);
  return asciiWidths[base - 0x20] ?? otherWidth;
}

function byteOf(character: string): number | undefined {
  const point = character.codePointAt(0) ?? 0;
  if ((point >= 0x20 && point < 0x7f) || (point >= 0xa0 && point <= 0xff)) return point;
  const index = character === '\0' ? -1 : windows1252.indexOf(character);
  return index < 0 ? undefined : 0x80 + index;
}
