import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/min';

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
function lacksCountryCode(number: string): boolean {
  return number.length <= longestNumber && withoutCountryCode.test(shownNumber(number));
}

/** Many countries write 00 instead of the plus. */
export function hasCountryCode(number: string): boolean {
  return /^(?:\+|00)/.test(compactNumber(number));
}

export const missingCountryCode = 'Add the country code, for example +49 30 123456';

/** For forms, which refuse what the API accepts with a warning. */
export function needsCountryCode(number: string): boolean {
  return lacksCountryCode(number) && !hasCountryCode(number);
}

/** E.164 allows 15 digits. Longer text is not passed to the library. */
const compact = /^\+\d{4,15}$/;

/**
 * "+442079460000" as "+44 20 7946 0000", as that country groups it. A number that was written with spaces keeps them, and
 * so does one that is too short or too long for its country.
 */
export function formatPhoneNumber(shown: string): string {
  return shown
    .split(', ')
    .map((number) => {
      const parsed = compact.test(number) ? parsePhoneNumberFromString(number) : undefined;
      return parsed?.isPossible() ? parsed.formatInternational() : number;
    })
    .join(', ');
}

export const addCountryCode = 'start with + and the country code.';

const lengthWarnings = {
  INVALID_COUNTRY: 'begins with an unknown country code: check the digits after the +.',
  NOT_A_NUMBER: undefined,
  TOO_SHORT: 'is too short for its country: check the digits.',
  TOO_LONG: 'is too long for its country: check the digits.',
  INVALID_LENGTH: 'has the wrong number of digits for its country: check them.',
};

/**
 * What may be wrong with one of these numbers. They are stored all the same: a number may be meant for one country, or for
 * a network of its own.
 */
export function numberWarning(numbers: string[], noCountryCodeWarning: string): string | undefined {
  if (numbers.some(lacksCountryCode)) return noCountryCodeWarning;
  for (const number of numbers) {
    const digits = number.length > longestNumber ? '' : compactNumber(number);
    // Nothing can be said about a number without a country code or with an extension.
    const result = compact.test(digits) ? validatePhoneNumberLength(digits) : undefined;
    const warning = result && lengthWarnings[result];
    if (warning) return `The number ${digits} ${warning}`;
  }
  return undefined;
}
