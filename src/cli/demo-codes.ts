import type { NewCode } from '../codes/codes.ts';

export interface DemoCode
  extends Pick<NewCode, 'name' | 'type' | 'content' | 'category' | 'foregroundColor'> {
  /** Created this many days before today. */
  ageDays: number;
  /** Relative share of all scans. */
  weight: number;
  isFavorite?: boolean;
  /** Scans on a Saturday or Sunday relative to a weekday. */
  weekend: number;
}

const ink = '#1a1410';

/** One code of each type, for a small coffee roastery with a café. */
export const demoCodes: DemoCode[] = [
  {
    name: 'Menu, table cards',
    type: 'url',
    content: 'https://example.com/menu',
    category: 'Café',
    foregroundColor: '#0b5d52',
    ageDays: 364,
    isFavorite: true,
    weight: 34,
    weekend: 1.7,
  },
  {
    name: 'Guest Wi-Fi',
    type: 'wifi',
    content: 'WIFI:T:WPA;S:Fernweh Guests;P:flat-white-2026;;',
    category: 'Café',
    foregroundColor: ink,
    ageDays: 364,
    weight: 22,
    weekend: 1.5,
  },
  {
    name: 'Follow us, paper cups',
    type: 'social',
    content: 'https://www.instagram.com/example',
    category: 'Marketing',
    foregroundColor: '#7a1f4b',
    ageDays: 290,
    weight: 14,
    weekend: 1.3,
  },
  {
    name: 'Order on WhatsApp, window sticker',
    type: 'whatsapp',
    content: '+491701234567',
    category: 'Marketing',
    foregroundColor: '#14532d',
    ageDays: 240,
    weight: 9,
    weekend: 1.1,
  },
  {
    name: 'Way to the roastery, city map',
    type: 'geo',
    content: 'geo:53.5503,9.9920?q=53.5503,9.9920(Fernweh Roastery)',
    category: 'Events',
    foregroundColor: ink,
    ageDays: 330,
    weight: 7,
    weekend: 2.2,
  },
  {
    name: 'Business card, Mara Lindt',
    type: 'vcard',
    content: [
      'BEGIN:VCARD',
      'VERSION:3.0',
      'FN:Mara Lindt',
      'N:;Mara Lindt;;;',
      'ORG:Fernweh Roastery',
      'TITLE:Head of Coffee',
      'TEL;TYPE=WORK:+494012345678',
      'EMAIL:mara@example.com',
      'URL:https://example.com/',
      'END:VCARD',
    ].join('\r\n'),
    category: 'Office',
    foregroundColor: ink,
    ageDays: 350,
    weight: 4,
    weekend: 0.3,
  },
  {
    name: 'Brewing guide, coffee bags',
    type: 'text',
    content:
      'Brewing guide\n\n1. 15 g of coffee, ground medium.\n2. 250 ml of water at 94 °C.\n3. Bloom for 30 seconds, then pour slowly.\n4. Done after three minutes. Enjoy!',
    category: 'Products',
    foregroundColor: '#5b3413',
    ageDays: 200,
    weight: 6,
    weekend: 1.6,
  },
  {
    name: 'Wholesale enquiry, price list',
    type: 'email',
    content: 'mailto:wholesale@example.com?subject=Price%20list',
    category: 'Office',
    foregroundColor: ink,
    ageDays: 310,
    weight: 2,
    weekend: 0.2,
  },
  {
    name: 'Machine service, hotline',
    type: 'phone',
    content: '+494012345600',
    category: 'Products',
    foregroundColor: '#8a1c14',
    ageDays: 270,
    weight: 1.5,
    weekend: 0.5,
  },
  {
    name: 'Tasting, reserve by text message',
    type: 'sms',
    content: 'SMSTO:+491701234567:Please reserve a seat at the next tasting.',
    category: 'Events',
    foregroundColor: ink,
    ageDays: 120,
    weight: 2.5,
    weekend: 1.4,
  },
];
