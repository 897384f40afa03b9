import {
  type CodeContent,
  codeTypes,
  contentType,
  parseContent,
} from '../../../src/codes/content/content-types.ts';
import { chooseTranslation } from '../../../src/redirect/translations.ts';

type Samples = { [Kind in CodeContent['kind']]: Extract<CodeContent, { kind: Kind }> };

const written: Partial<Samples> = {
  link: { kind: 'link', href: 'https://example.com/menu?table=4' },
  links: {
    kind: 'links',
    lines: [
      { text: 'Find us here:' },
      { text: 'https://social.example/@cafe', href: 'https://social.example/@cafe' },
      { text: 'https://video.example/cafe', href: 'https://video.example/cafe' },
    ],
  },
  phone: { kind: 'phone', number: '+44 20 7946 0958', href: 'tel:+442079460958' },
  sms: {
    kind: 'sms',
    number: '+1 555 0100',
    body: 'Please reserve a table for two at 7 pm.',
    href: 'sms:+15550100?body=Please%20reserve%20a%20table%20for%20two%20at%207%20pm.',
  },
  email: {
    kind: 'email',
    to: ['hello@example.com'],
    cc: ['office@example.com'],
    subject: 'A question about the menu',
    body: 'Hello,\n\nis the soup vegan?\n\nThank you!',
    href: 'mailto:hello@example.com?cc=office@example.com&subject=A%20question%20about%20the%20menu&body=Hello',
  },
  geo: {
    kind: 'geo',
    latitude: 52.5163,
    longitude: 13.3777,
    label: 'Brandenburg Gate',
    href: 'geo:52.5163,13.3777?q=52.5163,13.3777(Brandenburg%20Gate)',
    appleHref: 'https://maps.apple.com/?ll=52.5163,13.3777&q=Brandenburg%20Gate',
    mapHref: 'https://www.openstreetmap.org/?mlat=52.5163&mlon=13.3777#map=17/52.5163/13.3777',
  },
  wifi: {
    kind: 'wifi',
    networkName: 'Cafe Guests',
    password: 'latte;art "4" l1Il0O',
    security: 'WPA',
    isHidden: true,
    payload: 'WIFI:T:WPA;S:Cafe Guests;P:latte\\;art \\"4\\" l1Il0O;H:true;;',
  },
  contact: {
    kind: 'contact',
    name: 'Dr. Ada Example',
    organization: 'Example Engines Ltd',
    title: 'Head of Calculation',
    phones: [
      { number: '+44 20 7946 0958', href: 'tel:+442079460958', label: 'Work' },
      { number: '+44 7700 900123', href: 'tel:+447700900123', label: 'Mobile' },
    ],
    emails: [{ address: 'ada@example.com', href: 'mailto:ada@example.com', label: 'Work' }],
    links: [{ text: 'https://ada.example.com/', href: 'https://ada.example.com/' }],
    addresses: [['12 St James’s Square', 'London SW1Y 4LB', 'United Kingdom']],
    birthday: '1815-12-10',
    note: 'Prefers letters.',
    vcf: 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Dr. Ada Example\r\nEND:VCARD\r\n',
  },
  text: { kind: 'text', text: 'Opening hours\n\nMon–Fri  8:00 – 18:00\nSat  9:00 – 14:00' },
};

/** One content of each kind: written above, or the example of its type. */
export const samples = {
  ...Object.fromEntries(
    codeTypes.map((type) => {
      const content = parseContent(type, contentType(type).example);
      return [content.kind, content];
    }),
  ),
  ...written,
} as Samples;

/** The same content with every text in it changed, those of its links too. */
export function changeTexts<Content>(
  content: Content,
  change: (text: string, field: string) => string,
): Content {
  const changed = (value: unknown, field: string): unknown => {
    if (field === 'kind' || field === 'security') return value;
    if (typeof value === 'string') return change(value, field);
    if (Array.isArray(value)) return value.map((item) => changed(item, field));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, changed(inner, name)]));
  };
  return changed(content, '') as Content;
}

export const allTranslations = ['en', 'de', 'fr', 'es', 'pt', 'zh'].map(chooseTranslation);
