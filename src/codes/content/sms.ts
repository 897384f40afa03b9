import { type ContentType, type FormField, textFact } from './content-type.ts';
import { percentDecode, percentEncode, queryFields } from './payload-syntax.ts';
import { numberErrors, numberField, numberPart } from './phone.ts';
import { addCountryCode, formatPhoneNumber, plainNumber, shownNumber } from './phone-number.ts';
import { asText, manyLines, type TextContent } from './plain-text.ts';

export interface SmsContent {
  kind: 'sms';
  number: string;
  body: string;
  href: string;
}

const warning = `Scanners abroad cannot text this number: ${addCountryCode}`;
const texts = {
  write: {
    en: 'Write message',
    de: 'Nachricht schreiben',
    fr: 'Écrire un message',
    es: 'Escribir mensaje',
    pt: 'Escrever mensagem',
    zh: '写短信',
  },
  message: { en: 'Message', de: 'Nachricht', fr: 'Message', es: 'Mensaje', pt: 'Mensagem', zh: '内容' },
};
export const messageField: FormField = { name: 'message', label: 'Message (optional)', input: 'area' };

export const sms = {
  name: 'SMS',
  parse: parseSms,
  form: {
    parts: [numberField(warning), messageField],
    compose: (given) => composeSms(given('number'), given('message')),
    read: (parsed) => (parsed.kind === 'sms' ? { number: parsed.number, message: parsed.body } : undefined),
    errors: (given) => {
      const isNumber = parseSms(composeSms(given('number'), '')).kind === 'sms';
      return numberErrors(given, isNumber);
    },
  },
  keep: (given) => ({
    number: given('number'),
    message: given('message'),
    text: [given('number'), given('message')].filter(Boolean).join('\n'),
  }),
  fill: ({ number, message }) => ({ number, message }),
  remedy: 'Write it like +15550100123 or SMSTO:+15550100123:Hello',
  phoneNumbers: { read: (parsed) => (parsed.kind === 'sms' ? parsed.number.split(', ') : []), warning },
  shown: {
    kind: 'sms',
    label: { en: 'Text message', de: 'SMS', fr: 'SMS', es: 'Mensaje SMS', pt: 'Mensagem SMS', zh: '短信' },
    icon: ['M4 4h16a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-8l-5 4v-4H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM8 9h8M8 13h5'],
    printed: ({ number }) => formatPhoneNumber(number),
    page: ({ number, body, href }, { language }) => [
      numberPart(number),
      { part: 'actions', buttons: [{ label: texts.write[language], href, opensAtOnce: true }] },
      { part: 'facts', facts: [textFact(texts.message[language], body)] },
    ],
    facts: ({ number, body }) => [
      ['Number', number],
      ['Message', body],
    ],
  },
  example: 'sms:+491701234567?&body=Please%20reserve%20a%20seat%20at%20the%20next%20tasting.',
} satisfies ContentType<SmsContent>;

/** Unchanged where it cannot be parsed. */
function composeSms(number: string, message: string): string {
  const payload = `sms:${percentEncode(number)}?body=${percentEncode(message)}`;
  const parsed = parseSms(payload);
  return parsed.kind === 'sms' ? parsed.href : payload;
}

/** `sms:number?body=…` in its variants, `SMSTO:number:message`, or bare numbers. */
function parseSms(content: string): SmsContent | TextContent {
  const [, scheme, rest = ''] = /^\s*((?:sms|mms)(?:to)?:(?:\/\/)?)?(.*)$/is.exec(content) ?? [];
  const [, written = '', query, message] =
    /^([^?&:]*)(?:[?&]+(.*)|:(.*))?$/s.exec(rest.replace(/;(?=body=)/i, '?')) ?? [];
  const body = manyLines(query === undefined ? (message ?? '') : (queryFields(query).get('body') ?? ''));
  const shown = percentDecode(written)
    .split(/[,;]/)
    .map(shownNumber)
    .filter((number) => number !== '');
  const numbers = shown.map(plainNumber);
  const isAddressed = numbers.length > 0 || (scheme !== undefined && body !== '');
  if (!isAddressed || numbers.includes(undefined)) return asText(content);
  return { kind: 'sms', number: shown.join(', '), body, href: smsHref(numbers, body) };
}

/** Android expects the body after "?", older iOS after "&": both accept "?&". */
function smsHref(numbers: (string | undefined)[], body: string): string {
  const bodyPart = body ? `?&body=${percentEncode(body.replaceAll('\n', '\r\n'))}` : '';
  return `sms:${numbers.join(',')}${bodyPart}`;
}
