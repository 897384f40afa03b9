import type { NewCode } from '../codes/codes.ts';
import { codeTypes, contentType } from '../codes/content/content-types.ts';

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

/** For a small coffee roastery with a café. */
const story: Omit<DemoCode, 'content'>[] = [
  {
    name: 'Menu, table cards',
    type: 'url',
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
    category: 'Café',
    foregroundColor: ink,
    ageDays: 364,
    weight: 22,
    weekend: 1.5,
  },
  {
    name: 'Follow us, paper cups',
    type: 'social',
    category: 'Marketing',
    foregroundColor: '#7a1f4b',
    ageDays: 290,
    weight: 14,
    weekend: 1.3,
  },
  {
    name: 'Order on WhatsApp, window sticker',
    type: 'whatsapp',
    category: 'Marketing',
    foregroundColor: '#14532d',
    ageDays: 240,
    weight: 9,
    weekend: 1.1,
  },
  {
    name: 'Way to the roastery, city map',
    type: 'geo',
    category: 'Events',
    foregroundColor: ink,
    ageDays: 330,
    weight: 7,
    weekend: 2.2,
  },
  {
    name: 'Business card, Mara Lindt',
    type: 'vcard',
    category: 'Office',
    foregroundColor: ink,
    ageDays: 350,
    weight: 4,
    weekend: 0.3,
  },
  {
    name: 'Brewing guide, coffee bags',
    type: 'text',
    category: 'Products',
    foregroundColor: '#5b3413',
    ageDays: 200,
    weight: 6,
    weekend: 1.6,
  },
  {
    name: 'Wholesale enquiry, price list',
    type: 'email',
    category: 'Office',
    foregroundColor: ink,
    ageDays: 310,
    weight: 2,
    weekend: 0.2,
  },
  {
    name: 'Machine service, hotline',
    type: 'phone',
    category: 'Products',
    foregroundColor: '#8a1c14',
    ageDays: 270,
    weight: 1.5,
    weekend: 0.5,
  },
  {
    name: 'Tasting, reserve by text message',
    type: 'sms',
    category: 'Events',
    foregroundColor: ink,
    ageDays: 120,
    weight: 2.5,
    weekend: 1.4,
  },
];

const untold = codeTypes
  .filter((type) => story.every((code) => code.type !== type))
  .map((type) => ({
    name: contentType(type).name,
    type,
    category: 'Events',
    foregroundColor: ink,
    ageDays: 30,
    weight: 1,
    weekend: 1,
  }));

/** One code of each type, with the example of its type. */
export const demoCodes: DemoCode[] = [...story, ...untold].map((code) => ({
  ...code,
  content: contentType(code.type).example,
}));
