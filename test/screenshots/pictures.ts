import type { BrowserContextOptions } from 'playwright-core';
import { iPhone } from '../support/browser.ts';
import type { DemoSite } from './demo-site.ts';

export const folder = new URL('../../docs/images/', import.meta.url);
/** What the pages looked like when the pictures were taken: see appearance.ts. */
export const digestsFile = new URL('appearance.json', folder);

export interface Picture {
  name: string;
  path(site: DemoSite): string;
  options: BrowserContextOptions;
}

const desktop: BrowserContextOptions = { viewport: { width: 1200, height: 1000 }, deviceScaleFactor: 1.5 };

/** Each is taken light and dark: docs/images/<name>-light.png and <name>-dark.png. */
export const pictures: Picture[] = [
  {
    name: 'code',
    path: (site) => `${site.codePath('Menu, table cards')}?days=90`,
    options: desktop,
  },
  // Smaller, because its many designs take many bytes.
  { name: 'codes', path: () => '/codes', options: { ...desktop, deviceScaleFactor: 1.2 } },
  {
    name: 'share-page',
    path: (site) => site.sharePath('Business card, Mara Lindt'),
    options: { ...iPhone, viewport: { width: 390, height: 700 }, deviceScaleFactor: 2 },
  },
];
