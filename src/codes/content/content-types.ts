import { contact } from './contact.ts';
import type { ContentKind, ContentType } from './content-type.ts';
import { email } from './email.ts';
import { event } from './event.ts';
import { geo } from './geo.ts';
import { phone } from './phone.ts';
import { sms } from './sms.ts';
import { social } from './social.ts';
import { text } from './text.ts';
import { url } from './url.ts';
import { whatsapp } from './whatsapp.ts';
import { wifi } from './wifi.ts';

/** The list of types, in the order in which people choose one. The names are stored with codes, and never change. */
const contentTypes = { url, text, wifi, vcard: contact, email, phone, sms, whatsapp, geo, social, event };

export type CodeType = keyof typeof contentTypes;
export const codeTypes = Object.keys(contentTypes) as CodeType[];

/** The parsed content of a code. Every `href` is safe to use in a link. */
export type CodeContent = ReturnType<(typeof contentTypes)[CodeType]['parse']>;

/** Content of a type that only a newer release knows is text. */
export function contentType(type: CodeType): ContentType<CodeContent, CodeContent> {
  return contentTypes[type] ?? text;
}

export function parseContent(type: CodeType, content: string): CodeContent {
  return contentType(type).parse(content);
}

const kinds = new Map(
  codeTypes.flatMap((type) => {
    const { shown } = contentType(type);
    return shown ? [[shown.kind, shown] as const] : [];
  }),
);

/** How content of this kind is shown. Each kind belongs to one type. */
export function contentKind(kind: CodeContent['kind']): ContentKind<CodeContent> {
  const shown = kinds.get(kind);
  if (!shown) throw new Error(`No content type shows ${kind}.`);
  return shown;
}

/** The extensions of the files that share links serve. */
export const fileExtensions = [...kinds.values()].flatMap(({ file }) => file?.extension ?? []);
