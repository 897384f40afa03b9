import type { PhoneContent, TextContent } from './code-content.ts';
import { percentDecode } from './percent.ts';
import { compactNumber, shownNumber } from './phone-number.ts';
import { asText } from './plain-text.ts';

const maxLength = 64;
const keypad = ['ABC', 'DEF', 'GHI', 'JKL', 'MNO', 'PQRS', 'TUV', 'WXYZ'];

export function parsePhone(content: string): PhoneContent | TextContent {
  const uri = /^\s*tel:(?:\/\/)?(.*)$/is.exec(content);
  const number = shownNumber(uri ? percentDecode(uri[1] ?? '') : content);
  const dialed = dialString(number);
  return dialed ? { kind: 'phone', number, href: `tel:${dialed}` } : asText(content);
}

/** The number for a tel URI. A comma is a pause and a semicolon a wait, for phones that support them. */
function dialString(number: string): string | undefined {
  if (number.length > maxLength) return undefined;
  const { main, extension } = splitExtension(number);
  // "030 1234, 030 5678" is two numbers, not a pause.
  if (/[,;]\s/.test(main)) return undefined;
  const dialed = lettersToDigits(compactNumber(main));
  if (!/^\+?[\d*#]{2,24}(?:[,;][\d*#,;]{1,32})?$/.test(dialed) || !/\d\D*\d/.test(dialed)) return undefined;
  // A bare # would start a fragment, which is not dialed.
  return dialed.replaceAll('#', '%23') + (extension ? `;ext=${extension}` : '');
}

function splitExtension(number: string): { main: string; extension: string | undefined } {
  const withoutOtherParameters = number.replace(/;(?!ext=)[a-z-]+=[^;]*/gi, '');
  const found = /^(.*?\d)(?:;ext=|[\s,]*(?:extension|ext\.?|x)\s*)(\d{1,10})$/is.exec(withoutOtherParameters);
  return { main: found?.[1] ?? withoutOtherParameters, extension: found?.[2] };
}

/** 1-800-FLOWERS. Capitals after an area code only, so that other words stay words. */
function lettersToDigits(number: string): string {
  if (!/^\+?\d{3,8}[A-Z]{3,12}\d{0,8}$/.test(number)) return number;
  return number.replace(/[A-Z]/g, (letter) => String(keypad.findIndex((key) => key.includes(letter)) + 2));
}
