/** Marks of text direction and the like: a number copied from a phone's contacts often comes wrapped in them. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const separators = /[ \t\u00a0\u2000-\u200a\u202f\u2010-\u2015()[\]./-]/g;

/** As a person reads it. */
export function shownNumber(text: string): string {
  return text.replace(invisible, '').trim();
}

/** Without what only makes it readable. In "+49 (0) 30" the zero is for those who leave out the country. */
export function compactNumber(text: string): string {
  return shownNumber(text)
    .replace(/^(\+\d[\d ]{0,4})\(0\)/, '$1')
    .replace(separators, '');
}

/** Digits, with a plus in front where one is written: what a message can be sent to. */
export function plainNumber(text: string): string | undefined {
  const number = compactNumber(text);
  return /^\+?\d{3,20}$/.test(number) ? number : undefined;
}
