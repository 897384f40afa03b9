import type { EmailContent, TextContent } from './code-content.ts';
import { percentDecode, percentEncode, queryFields } from './percent.ts';
import { asText, manyLines, oneLine } from './plain-text.ts';
import { parseFields, unescapeField } from './semicolon-fields.ts';

const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`;
const word = String.raw`[\p{L}\p{M}\p{N}!#$%&'*+/=?^_{|}~-]+`;
/** Narrower than RFC 5322, which also allows quoted names and comments. */
const address = new RegExp(String.raw`^${word}(?:\.${word})*@(?:${label}\.)+${label}$`, 'u');

interface Draft {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  body: string;
}

export function parseEmail(content: string): EmailContent | TextContent {
  const draft = draftOfMailto(content) ?? draftOfMatmsg(content) ?? draftOfAddresses(content);
  const to = draft.to.map(bareAddress);
  const cc = draft.cc.map(bareAddress);
  const bcc = draft.bcc.map(bareAddress);
  const subject = oneLine(draft.subject);
  const body = manyLines(draft.body);
  const recipients = [...to, ...cc, ...bcc];
  // One invalid address is enough: an email that misses a recipient is worse than none.
  if (!recipients.every(isAddress) || (recipients.length === 0 && !subject && !body)) return asText(content);
  return { kind: 'email', to, cc, subject, body, href: mailtoHref({ to, cc, bcc, subject, body }) };
}

function draftOfMailto(content: string): Draft | undefined {
  const [, to, query = ''] = /^\s*mailto:([^?]*)(?:\?(.*))?$/is.exec(content) ?? [];
  if (to === undefined) return undefined;
  // Other headers, such as attachments, are dropped.
  const headers = queryFields(query.trimEnd());
  return {
    // A percent-encoded comma is part of an address.
    to: [...addresses(to, /,/).map(percentDecode), ...addresses(headers.get('to'))],
    cc: addresses(headers.get('cc')),
    bcc: addresses(headers.get('bcc')),
    subject: headers.get('subject') ?? '',
    body: headers.get('body') ?? '',
  };
}

function draftOfMatmsg(content: string): Draft | undefined {
  const [, body] = /^\s*MATMSG:(.*)$/is.exec(content) ?? [];
  if (body === undefined) return undefined;
  const fields = parseFields(body, ['TO', 'CC', 'BCC', 'SUB', 'BODY']);
  const first = (key: string) => unescapeField(fields.find((field) => field.key === key)?.raw ?? '');
  const all = (key: string) =>
    fields.filter((field) => field.key === key).flatMap((field) => addresses(unescapeField(field.raw)));
  return { to: all('TO'), cc: all('CC'), bcc: all('BCC'), subject: first('SUB'), body: first('BODY') };
}

function draftOfAddresses(content: string): Draft {
  const separator = content.includes('<') ? /[,;\r\n]+/ : /[,;\s]+/;
  return { to: addresses(content, separator), cc: [], bcc: [], subject: '', body: '' };
}

function addresses(list = '', separator = /[,;]/): string[] {
  return list
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The address in "Ann Example <ann@example.com>". */
function bareAddress(written: string): string {
  return /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(written)?.[1]?.trim() ?? written;
}

function isAddress(text: string): boolean {
  return text.length <= 254 && text.indexOf('@') <= 64 && address.test(text);
}

/** Built from the parsed fields, so that it contains nothing else. */
function mailtoHref({ to, cc, bcc, subject, body }: Draft): string {
  const headers = [
    ['cc', addressList(cc)],
    ['bcc', addressList(bcc)],
    ['subject', percentEncode(subject)],
    ['body', percentEncode(body.replaceAll('\n', '\r\n'))],
  ].flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  return `mailto:${addressList(to)}${headers.length > 0 ? `?${headers.join('&')}` : ''}`;
}

function addressList(list: string[]): string {
  return list.map((item) => percentEncode(item).replace('%40', '@')).join(',');
}
