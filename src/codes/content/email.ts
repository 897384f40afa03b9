import { type ContentType, required, textFact } from './content-type.ts';
import { parseFields, percentDecode, percentEncode, queryFields, unescapeField } from './payload-syntax.ts';
import { asText, manyLines, oneLine, type TextContent } from './plain-text.ts';

export interface EmailContent {
  kind: 'email';
  to: string[];
  cc: string[];
  subject: string;
  body: string;
  href: string;
}

const texts = {
  write: {
    en: 'Write email',
    de: 'E-Mail schreiben',
    fr: 'Écrire un e-mail',
    es: 'Escribir correo',
    pt: 'Escrever e-mail',
    zh: '写邮件',
  },
  copyTo: { en: 'Cc', de: 'Kopie', fr: 'Cc', es: 'Copia', pt: 'Cópia', zh: '抄送' },
  subject: { en: 'Subject', de: 'Betreff', fr: 'Objet', es: 'Asunto', pt: 'Assunto', zh: '主题' },
  message: { en: 'Message', de: 'Nachricht', fr: 'Message', es: 'Mensaje', pt: 'Mensagem', zh: '内容' },
};
export const invalidAddress = 'must be an email address, such as ann@example.com';

export const email = {
  name: 'Email',
  parse: parseEmail,
  form: {
    parts: [
      { name: 'to', label: 'To', inputMode: 'email', hint: 'Separate several addresses with commas.' },
      { name: 'subject', label: 'Subject (optional)' },
      { name: 'body', label: 'Message (optional)', input: 'area' },
    ],
    compose: (given) => {
      const to = addressList(addresses(given('to'), /[,;\s]+/));
      const subject = percentEncode(oneLine(given('subject')));
      const payload = `mailto:${to}?subject=${subject}&body=${percentEncode(given('body'))}`;
      const parsed = parseEmail(payload);
      return parsed.kind === 'email' ? parsed.href : payload;
    },
    read: (parsed) =>
      parsed.kind === 'email'
        ? { to: parsed.to.join(', '), subject: parsed.subject, body: parsed.body }
        : undefined,
    errors: (given) => required(given, 'to', parseEmail(given('to')).kind === 'email', invalidAddress),
  },
  keep: (given) => ({
    email: given('to'),
    message: given('body'),
    text: [given('to'), given('subject'), given('body')].filter(Boolean).join('\n'),
  }),
  fill: (kept) => ({ to: kept.email, subject: '', body: kept.message }),
  remedy: 'Write it like name@example.com or mailto:name@example.com?subject=Hello',
  shown: {
    kind: 'email',
    label: {
      en: 'Email',
      de: 'E-Mail',
      fr: 'E-mail',
      es: 'Correo electrónico',
      pt: 'E-mail',
      zh: '电子邮件',
    },
    icon: ['M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM3.5 7l8.5 6 8.5-6'],
    printed: ({ to }) => to.join(', '),
    page: ({ to, cc, subject, body, href }, { language }) => [
      { part: 'addresses', addresses: to },
      { part: 'actions', buttons: [{ label: texts.write[language], href, opensAtOnce: true }] },
      {
        part: 'facts',
        facts: [
          textFact(texts.copyTo[language], cc.join('\n')),
          textFact(texts.subject[language], subject),
          textFact(texts.message[language], body),
        ],
      },
    ],
    facts: ({ to, subject }) => [
      ['To', to.join(', ')],
      ['Subject', subject],
    ],
  },
  example: 'mailto:wholesale@example.com?subject=Price%20list',
} satisfies ContentType<EmailContent>;

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
