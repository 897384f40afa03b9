import { composeContent, contentFields, fieldsOfContent } from '../../../src/codes/content/content-fields.ts';
import { type CodeType, codeTypes, contentType } from '../../../src/codes/content/content-types.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { createCode } from '../../support/share.ts';

export type PageType = Exclude<CodeType, 'url'>;

export const pageTypes = codeTypes.filter((type) => type !== 'url');

/** The content of a code of each type that has a page: written here, or the example of its type. */
export const contents = {
  ...Object.fromEntries(pageTypes.map((type) => [type, contentType(type).example])),
  phone: '+44 20 7946 0958',
  sms: 'SMSTO:+15550100:Table for two?',
  email: 'mailto:hello@example.com?subject=Soup&body=Is%20it%20vegan%3F',
  geo: 'geo:52.5163,13.3777?q=52.5163,13.3777(Brandenburg Gate)',
  wifi: 'WIFI:T:WPA;S:Cafe Guests;P:latte\\;art 42;;',
  vcard: [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'N:Example;Ada;;;',
    'FN:Ada Example',
    'ORG:Example Engines',
    'TEL;TYPE=WORK:+442079460958',
    'EMAIL:ada@example.com',
    'END:VCARD',
  ].join('\r\n'),
  text: 'Opening hours\nMon to Fri 8 to 18',
  social: 'Find us:\nhttps://social.example/@cafe\nhttps://video.example/cafe',
  whatsapp: 'Write to us or see https://one.example/ and https://two.example/',
} as Record<PageType, string>;

/** The token of a code of each type. */
export async function createCodes(api: ApiClient): Promise<Map<PageType, string>> {
  const tokens = new Map<PageType, string>();
  for (const type of pageTypes) {
    const { shareToken } = await createCode(api, { name: `A ${type}`, type, content: contents[type] });
    tokens.set(type, shareToken);
  }
  return tokens;
}

export const markup = [
  '<script>window.__hacked=1;alert(1)</script></title></style></script><script>alert(1)</script>',
  `"'><img src=x onerror="window.__hacked=1"><a href='https://evil.example/'>`,
  '<img src="https://evil.example/x.png"><link rel=stylesheet href=//evil.example>',
];

/** Schemes that a link may have, whatever the text of a code is. */
export const allowedSchemes = ['http:', 'https:', 'tel:', 'sms:', 'mailto:', 'geo:'];

/** The text where each type has room for it, in the form in which it is usually written. */
const payloads: Partial<Record<PageType, (text: string) => string[]>> = {
  phone: (text) => [text, `tel:+15550100;x=${text}`],
  sms: (text) => [text, `SMSTO:+15550100:${text}`],
  email: (text) => [
    text,
    `mailto:a@example.com?subject=${encodeURIComponent(text)}&body=${encodeURIComponent(text.slice(0, 300))}`,
  ],
  geo: (text) => [text, `geo:1,2?q=1,2(${text})`],
  wifi: (text) => [text, `WIFI:T:WPA;S:${text.slice(0, 700)};P:${text.slice(0, 700)};;`],
  vcard: (text) => {
    const line = text.replace(/[\r\n]/g, '\\n').slice(0, 250);
    return [
      text,
      `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${line}\r\nORG:${line}\r\nTEL:${line}\r\nEMAIL:${line}\r\nURL:${line}\r\nNOTE:${line}\r\nEND:VCARD`,
    ];
  },
  text: (text) => [text],
  social: (text) => [text, `https://one.example/\n${text}\nhttps://two.example/`],
  whatsapp: (text) => [text, `https://one.example/\n${text}\nhttps://two.example/`],
};

/** Contents of a code of that type with this text in them. */
export function contentsWith(type: PageType, text: string): string[] {
  return payloads[type]?.(text) ?? inEveryField(type, text);
}

/** The fields of the example, with the text in those that are typed. */
function inEveryField(type: PageType, text: string): string[] {
  const fields = { ...fieldsOfContent(type, contentType(type).example) };
  for (const { name, input = 'text' } of contentFields(type))
    if (input === 'text' || input === 'area') fields[name] = text.slice(0, 250);
  return [text, composeContent(type, fields)];
}

/** Names have room for less. */
export const nameWith = (text: string) => text.replace(/[\r\n]/g, ' ').slice(0, 90);
