import type { CodeType } from '../qr-code.ts';
import { maxContentBytes } from './capacity.ts';
import type { ContentFields } from './compose-content.ts';
import { parsePlace } from './geo.ts';
import { webHrefOfAddress } from './links.ts';

/** What several types have in common, whatever their fields are called. */
interface Kept {
  name: string;
  number: string;
  email: string;
  address: string;
  message: string;
  /** Everything readable, for a text. */
  text: string;
}

/** What the fields of one type have for those of another. A password is never kept: other types are not secret. */
export function keptFields(from: CodeType, to: CodeType, fields: ContentFields): ContentFields {
  // Longer values cannot be saved, and are not parsed.
  const short = Object.entries(fields).filter(([, value = '']) => value.length <= maxContentBytes);
  const given = Object.fromEntries(short);
  return fieldsFor(to, read(from, given), given);
}

function read(from: CodeType, fields: ContentFields): Kept {
  const given = (name: string) => (fields[name] ?? '').trim();
  const content = given('content');
  const isAddress = webHrefOfAddress(content) !== undefined;
  const firstLink = content.split('\n').find((line) => webHrefOfAddress(line.trim()) !== undefined) ?? '';
  const kept = {
    name: given('contactName'),
    number: given('number') || given('phone'),
    email: given('to') || given('email'),
    address: given('website') || (from === 'social' ? firstLink.trim() : isAddress ? content : ''),
    message: given('message') || given('body') || (from === 'text' && !isAddress ? content : ''),
  };
  const readable =
    from === 'wifi'
      ? [given('networkName')]
      : [kept.name, given('organization'), kept.number, kept.email, given('website'), given('subject')];
  const parts = [...readable, given('label'), given('place'), given('message'), given('body'), content];
  return { ...kept, text: parts.filter(Boolean).join('\n') };
}

function fieldsFor(to: CodeType, kept: Kept, fields: ContentFields): ContentFields {
  switch (to) {
    case 'url':
      return { content: kept.address };
    case 'text':
      return { content: kept.text };
    case 'social':
      return { content: kept.address === '' ? '' : (fields['content'] ?? kept.address) };
    case 'vcard':
      return {
        contactName: kept.name,
        organization: fields['organization'] ?? '',
        phone: kept.number,
        email: kept.email,
        website: kept.address,
      };
    case 'email':
      return { to: kept.email, subject: fields['subject'] ?? '', body: kept.message };
    case 'phone':
      return { number: kept.number };
    case 'sms':
    case 'whatsapp':
      return { number: kept.number, message: kept.message };
    case 'geo':
      return { place: parsePlace(kept.address) ? kept.address : '' };
    case 'wifi':
      return { security: 'WPA' };
  }
}
