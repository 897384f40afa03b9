import type { SmsContent, TextContent } from './code-content.ts';
import { percentDecode, percentEncode, queryFields } from './percent.ts';
import { plainNumber, shownNumber } from './phone-number.ts';
import { asText, manyLines } from './plain-text.ts';

/** `sms:number?body=…` in its variants, `SMSTO:number:message`, or bare numbers. */
export function parseSms(content: string): SmsContent | TextContent {
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
