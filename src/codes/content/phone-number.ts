/** Text direction marks and the like, which numbers copied from a phone's contacts often contain. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const separators = /[ \t\u00a0\u2000-\u200a\u202f\u2010-\u2015()[\]./-]/g;

/** Without invisible characters. */
export function shownNumber(text: string): string {
  return text.replace(invisible, '').trim();
}

/** Without separators. In "+49 (0) 30" the zero is only dialed without the country code. */
export function compactNumber(text: string): string {
  return shownNumber(text)
    .replace(/^(\+\d[\d ]{0,4})\(0\)/, '$1')
    .replace(separators, '');
}

/** Digits with an optional plus: a number that a message can be sent to. */
export function plainNumber(text: string): string | undefined {
  const number = compactNumber(text);
  return /^\+?\d{3,20}$/.test(number) ? number : undefined;
}

/** Seven digits and no plus. Shorter numbers, such as 112, and those with * or # never have a country code. */
export const withoutCountryCode = /^[^\d+*#]*(?:\d[^\d+*#]*){7,}$/;
const longestNumber = 64;

/** Whether dialing it abroad would reach somebody else, or nobody. */
export function lacksCountryCode(number: string): boolean {
  return number.length <= longestNumber && withoutCountryCode.test(shownNumber(number));
}

/** Many countries write 00 instead of the plus. */
export function hasCountryCode(number: string): boolean {
  return /^(?:\+|00)/.test(compactNumber(number));
}
