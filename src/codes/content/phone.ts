import type { FieldError } from '../../errors.ts';
import { type ContentType, type FormField, type Given, required } from './content-type.ts';
import { percentDecode } from './payload-syntax.ts';
import {
  addCountryCode,
  compactNumber,
  formatPhoneNumber,
  missingCountryCode,
  needsCountryCode,
  shownNumber,
  withoutCountryCode,
} from './phone-number.ts';
import { asText, type TextContent } from './plain-text.ts';

export interface PhoneContent {
  kind: 'phone';
  number: string;
  href: string;
}

const warning = `Scanners abroad cannot call this number: ${addCountryCode}`;
const texts = {
  call: { en: 'Call', de: 'Anrufen', fr: 'Appeler', es: 'Llamar', pt: 'Ligar', zh: '拨打电话' },
};

export const phone = {
  name: 'Phone',
  parse: parsePhone,
  form: {
    parts: [numberField(warning)],
    compose: (given) => {
      const parsed = parsePhone(given('number'));
      return parsed.kind === 'phone' ? parsed.href : given('number');
    },
    read: (parsed) => (parsed.kind === 'phone' ? { number: parsed.number } : undefined),
    errors: (given) => numberErrors(given, isPhoneNumber(given('number'))),
  },
  keep: (given) => ({ number: given('number'), text: given('number') }),
  fill: ({ number }) => ({ number }),
  remedy: 'Write one number like +15550100123.',
  phoneNumbers: { read: (parsed) => (parsed.kind === 'phone' ? [parsed.number] : []), warning },
  shown: {
    kind: 'phone',
    label: {
      en: 'Phone number',
      de: 'Telefonnummer',
      fr: 'Numéro de téléphone',
      es: 'Número de teléfono',
      pt: 'Número de telefone',
      zh: '电话号码',
    },
    icon: ['M5 3h4l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v4a2 2 0 0 1-2 2A16 16 0 0 1 3 5a2 2 0 0 1 2-2z'],
    printed: ({ number }) => formatPhoneNumber(number),
    page: ({ number, href }, { language }) => [
      numberPart(number),
      {
        part: 'actions',
        buttons: [{ label: texts.call[language], href, opensAtOnce: !isControlCode(href) }],
      },
    ],
    facts: ({ number }) => [['Number', number]],
  },
  example: '+494012345600',
} satisfies ContentType<PhoneContent>;

export const invalidNumber = 'must be a phone number, such as +44 20 7946 0000';

/** The errors of a number that must be filled in. */
export function numberErrors(given: Given, isValid: boolean): FieldError[] {
  const errors = required(given, 'number', isValid, invalidNumber);
  const lacksCode = given('number').split(/[,;]/).some(needsCountryCode);
  return errors.length === 0 && lacksCode ? [{ field: 'number', message: missingCountryCode }] : errors;
}

export function isPhoneNumber(text: string): boolean {
  return parsePhone(text).kind === 'phone';
}

/** `caution` is shown for a number without its country code. */
export function numberField(caution?: string): FormField {
  return {
    name: 'number',
    label: 'Number',
    inputMode: 'tel',
    hint: 'With the country code, such as +44 …',
    ...(caution && { caution: { text: caution, pattern: withoutCountryCode } }),
  };
}

/** Long values are set smaller. */
export function numberPart(number: string) {
  if (number === '') return undefined;
  const look = number.length > 24 ? ('value long' as const) : ('value' as const);
  return { part: 'digits' as const, text: formatPhoneNumber(number), look };
}

/** Codes such as `*#06#` make the phone do something, so they are never dialed without a tap. */
function isControlCode(href: string): boolean {
  return /[*#]|%2[3a]/i.test(href);
}

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
