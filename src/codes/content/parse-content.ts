import type { CodeType } from '../qr-code.ts';
import type { CodeContent } from './code-content.ts';
import { parseContact } from './contact.ts';
import { parseEmail } from './email.ts';
import { parseGeo } from './geo.ts';
import { parseLink, parseSocial } from './links.ts';
import { parsePhone } from './phone.ts';
import { asText } from './plain-text.ts';
import { parseSms } from './sms.ts';
import { parseWhatsapp } from './whatsapp.ts';
import { parseWifi } from './wifi.ts';

const parsers: Record<CodeType, (content: string) => CodeContent> = {
  url: parseLink,
  text: asText,
  wifi: parseWifi,
  vcard: parseContact,
  email: parseEmail,
  phone: parsePhone,
  sms: parseSms,
  whatsapp: parseWhatsapp,
  geo: parseGeo,
  social: parseSocial,
};

/** Never throws: content that cannot be parsed as its type is text. */
export function parseContent(type: CodeType, content: string): CodeContent {
  return parsers[type](content);
}
