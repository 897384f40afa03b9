import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/min';
import { compactNumber } from './phone-number.ts';

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

export type NumberProblem = 'unknown country code' | 'too short' | 'too long' | 'wrong length';

/** Undefined for a number without a country code, of which nothing can be said, and for one with an extension. */
export function numberProblem(text: string): NumberProblem | undefined {
  const number = text.length > 64 ? '' : compactNumber(text);
  if (!compact.test(number)) return undefined;
  switch (validatePhoneNumberLength(number)) {
    case 'INVALID_COUNTRY':
      return 'unknown country code';
    case 'TOO_SHORT':
      return 'too short';
    case 'TOO_LONG':
      return 'too long';
    case 'INVALID_LENGTH':
      return 'wrong length';
    default:
      return undefined;
  }
}
