import type { CodeType } from '../../codes/qr-code.ts';

/** The names of the types on the pages. */
export const typeNames: Record<CodeType, string> = {
  url: 'Web address',
  text: 'Text',
  wifi: 'Wi-Fi',
  vcard: 'Contact',
  email: 'Email',
  phone: 'Phone',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  geo: 'Place',
  social: 'Social links',
};
