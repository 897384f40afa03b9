import type { CodeInput, NewCode } from '../codes/codes.ts';
import { codeTypes, contentType } from '../codes/content/content-types.ts';
import { type DemoDesign, demoDesigns } from './demo-designs.ts';

export interface DemoCode
  extends Pick<NewCode, 'name' | 'type' | 'content' | 'category' | 'foregroundColor'>,
    Pick<CodeInput, 'pageTitle' | 'pageText' | 'pageColor'> {
  /** Created this many days before today. */
  ageDays: number;
  /** Relative share of all scans. */
  weight: number;
  isFavorite?: boolean;
  /** Scans on a Saturday or Sunday relative to a weekday. */
  weekend: number;
  design?: DemoDesign;
  /** Whether its share page has the logo of the roastery. */
  hasPageLogo?: boolean;
  /** What it opened before. */
  former?: { content: string; untilDaysAgo: number };
}

export const brandColor = '#0b3b34';

const ink = '#1a1410';

/** For a small coffee roastery with a café. */
const story: Omit<DemoCode, 'content'>[] = [
  {
    name: 'Menu, table cards',
    pageTitle: 'Our menu',
    type: 'url',
    category: 'Café',
    foregroundColor: brandColor,
    design: demoDesigns.menu,
    ageDays: 364,
    isFavorite: true,
    former: { content: 'https://example.com/menu/summer', untilDaysAgo: 20 },
    weight: 34,
    weekend: 1.7,
  },
  {
    name: 'Guest Wi-Fi',
    type: 'wifi',
    category: 'Café',
    foregroundColor: ink,
    design: demoDesigns.wifi,
    pageTitle: 'Guest Wi-Fi at Fernweh',
    pageColor: brandColor,
    hasPageLogo: true,
    ageDays: 364,
    weight: 22,
    weekend: 1.5,
  },
  {
    name: 'Follow us, paper cups',
    pageTitle: 'Follow Fernweh',
    type: 'social',
    category: 'Marketing',
    foregroundColor: '#7a1f4b',
    design: demoDesigns.cups,
    ageDays: 290,
    weight: 14,
    weekend: 1.3,
  },
  {
    name: 'Order on WhatsApp, window sticker',
    pageTitle: 'Order ahead',
    type: 'whatsapp',
    category: 'Marketing',
    foregroundColor: '#14532d',
    design: demoDesigns.window,
    ageDays: 240,
    weight: 9,
    weekend: 1.1,
  },
  {
    name: 'Way to the roastery, city map',
    pageTitle: 'Way to the roastery',
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
    pageTitle: 'How to brew it',
    type: 'text',
    category: 'Products',
    foregroundColor: '#5b3413',
    design: demoDesigns.bags,
    ageDays: 200,
    weight: 6,
    weekend: 1.6,
  },
  {
    name: 'Wholesale enquiry, price list',
    pageTitle: 'Coffee for your café',
    type: 'email',
    category: 'Office',
    foregroundColor: ink,
    ageDays: 310,
    weight: 2,
    weekend: 0.2,
  },
  {
    name: 'Machine service, hotline',
    pageTitle: 'Machine service',
    type: 'phone',
    category: 'Products',
    foregroundColor: '#8a1c14',
    ageDays: 270,
    weight: 1.5,
    weekend: 0.5,
  },
  {
    name: 'Tasting, reserve by text message',
    pageTitle: 'Reserve a tasting',
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

/** The code on the landing page: whoever scans it sees a share page that leads to the demo. */
export function landingCode(baseUrl: string): DemoCode {
  return {
    name: 'Hello, landing page',
    type: 'social',
    content: [
      `See your scan in the live demo: ${baseUrl}/demo/code`,
      'Today’s menu: https://example.com/menu',
      'Follow us: https://www.instagram.com/example',
    ].join('\n'),
    category: 'Marketing',
    foregroundColor: brandColor,
    design: { ...demoDesigns.menu, frameText: 'Scan me' },
    pageTitle: 'You scanned a dynamic code',
    pageText:
      'This page can change at any time; the printed code stays the same. Your scan was just counted.',
    pageColor: brandColor,
    hasPageLogo: true,
    ageDays: 60,
    weight: 3,
    weekend: 1.2,
    isFavorite: true,
  };
}
