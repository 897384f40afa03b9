import type { CodeType } from '../qr-code.ts';
import type { CodeContent } from './code-content.ts';
import { numberProblem, type NumberProblem } from './international-number.ts';
import { compactNumber, hasCountryCode, lacksCountryCode } from './phone-number.ts';

const remedy = 'start with + and the country code.';

/** Plain ASCII without commas, because each can be a header. */
export const numberWarnings = {
  phone: `Scanners abroad cannot call this number: ${remedy}`,
  sms: `Scanners abroad cannot text this number: ${remedy}`,
  vcard: `Scanners abroad cannot call a number of this contact: ${remedy}`,
  whatsapp: `WhatsApp takes the first digits of this number for the country: ${remedy}`,
} satisfies Partial<Record<CodeType, string>>;

const problemWarnings: Record<NumberProblem, string> = {
  'unknown country code': 'begins with an unknown country code: check the digits after the +.',
  'too short': 'is too short for its country: check the digits.',
  'too long': 'is too long for its country: check the digits.',
  'wrong length': 'has the wrong number of digits for its country: check them.',
};

/** A number is stored whatever it is: it may be meant for one country, or for a network of its own. */
export function numberWarning(type: CodeType, content: string, parsed: CodeContent): string | undefined {
  const warnings: Partial<Record<CodeType, string>> = numberWarnings;
  const numbers = numbersIn(type, content, parsed);
  if (numbers.some(lacksCountryCode)) return warnings[type];
  for (const number of numbers) {
    const problem = numberProblem(number);
    if (problem) return `The number ${compactNumber(number)} ${problemWarnings[problem]}`;
  }
  return undefined;
}

function numbersIn(type: CodeType, content: string, parsed: CodeContent): string[] {
  switch (parsed.kind) {
    case 'phone':
      return [parsed.number];
    case 'sms':
      return parsed.number.split(', ');
    case 'contact':
      return parsed.phones.map(({ number }) => number);
    case 'link': {
      if (type !== 'whatsapp') return [];
      // A link has the country code in it; a bare number may not.
      const [first = ''] = content.trim().split(/[\r\n]/, 1);
      if (/^[\d(]/.test(first) && !hasCountryCode(first)) return [first];
      const [, digits] = /^https:\/\/wa\.me\/(\d+)/.exec(parsed.href) ?? [];
      return digits ? [`+${digits}`] : [];
    }
    default:
      return [];
  }
}
