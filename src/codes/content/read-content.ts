import type { CodeType } from '../qr-code.ts';
import type { CodeContent } from './code-content.ts';
import { readContact } from './contact.ts';
import { readEmail } from './email.ts';
import { readGeo } from './geo.ts';
import { readSocial, readUrl } from './links.ts';
import { readPhone } from './phone.ts';
import { asText } from './plain-text.ts';
import { readSms } from './sms.ts';
import { readWhatsapp } from './whatsapp.ts';
import { readWifi } from './wifi.ts';

const readers: Record<CodeType, (content: string) => CodeContent> = {
  url: readUrl,
  text: asText,
  wifi: readWifi,
  vcard: readContact,
  email: readEmail,
  phone: readPhone,
  sms: readSms,
  whatsapp: readWhatsapp,
  geo: readGeo,
  social: readSocial,
};

/** What the stored text means. It never throws: what cannot be read as its type is text. */
export function readContent(type: CodeType, content: string): CodeContent {
  return readers[type](content);
}
