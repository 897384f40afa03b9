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

/** Seven digits and no plus: shorter numbers, such as 112, and those with * or # work in one country only anyway. */
export const withoutCountryCode = /^[^\d+*#]*(?:\d[^\d+*#]*){7,}$/;
const longestNumber = 64;

/** Whether whoever is in another country would reach somebody else, or nobody. */
export function lacksCountryCode(number: string): boolean {
  return number.length <= longestNumber && withoutCountryCode.test(shownNumber(number));
}

/** Also with the two zeros that stand for the plus in many countries. */
export function hasCountryCode(number: string): boolean {
  return /^(?:\+|00)/.test(compactNumber(number));
}

/** A country's code has one, two or three digits; its first ones tell how many. */
const countryCode = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d{5,12})$/;

/**
 * "+442079460000" as "+44 207 946 0000", to be read out and dialled by hand. Where the area code ends is not known, so
 * the groups are of three, and no digit stands alone. What was written with spaces of its own keeps them.
 */
export function groupedNumber(shown: string): string {
  return shown
    .split(', ')
    .map((number) => {
      const [, country, rest = ''] = countryCode.exec(number) ?? [];
      return country ? `+${country} ${rest.replace(/\d{3}(?=\d{2})/g, '$& ')}` : number;
    })
    .join(', ');
}
