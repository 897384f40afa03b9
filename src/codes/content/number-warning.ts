import type { CodeType } from '../qr-code.ts';
import type { CodeContent } from './code-content.ts';
import { hasCountryCode, lacksCountryCode } from './phone-number.ts';

const remedy = 'start with + and the country code.';

/** Plain ASCII without commas, as each may be a header. */
export const numberWarnings = {
  phone: `Scanners abroad cannot call this number: ${remedy}`,
  sms: `Scanners abroad cannot text this number: ${remedy}`,
  vcard: `Scanners abroad cannot call a number of this contact: ${remedy}`,
  whatsapp: `WhatsApp takes the first digits of this number for the country: ${remedy}`,
} satisfies Partial<Record<CodeType, string>>;

/** For a number that works in one country only. It is stored all the same: some are meant for one country. */
export function numberWarning(type: CodeType, content: string, read: CodeContent): string | undefined {
  const warnings: Partial<Record<CodeType, string>> = numberWarnings;
  return numbersIn(type, content, read).some(lacksCountryCode) ? warnings[type] : undefined;
}

function numbersIn(type: CodeType, content: string, read: CodeContent): string[] {
  switch (read.kind) {
    case 'phone':
      return [read.number];
    case 'sms':
      return read.number.split(', ');
    case 'contact':
      return read.phones.map(({ number }) => number);
    case 'link': {
      // An address of WhatsApp has the country code in it: only a bare number may not.
      const [first = ''] = content.trim().split(/[\r\n]/, 1);
      return type === 'whatsapp' && /^[\d(]/.test(first) && !hasCountryCode(first) ? [first] : [];
    }
    default:
      return [];
  }
}
