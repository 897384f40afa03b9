import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { addExtras, type Extras } from './demo-extras.ts';
import {
  type DemoSite,
  openDemoContext,
  openDemoPage,
  type Reader,
  readers,
  startDemoSite,
} from './demo-site.ts';
import { folder as imagesFolder } from './pictures.ts';

/** Single pictures go here, to be looked at one by one. */
const folder = process.env['PAGES_FOLDER'] ?? join(tmpdir(), 'qrelay-pages');
/** Takes only pages whose names match, and makes no sheet of them. */
const only = process.env['PAGES'] === undefined ? undefined : new RegExp(process.env['PAGES']);

const menu = 'Menu, table cards';
const card = 'Business card, Mara Lindt';
const wifi = 'Guest Wi-Fi';

interface ShownPage {
  name: string;
  path(site: DemoSite, extras: Extras): string;
  reader?: Reader;
}

const sharePage = (name: string, code: string): ShownPage => ({
  name: `share-${name}`,
  path: (site) => site.sharePath(code),
  reader: 'visitor',
});
const selected = (site: DemoSite) =>
  [menu, card, wifi].map((name) => `code=${site.codePath(name).split('/').at(-1)}`).join('&');

/** In the order in which people see them. */
const pages: ShownPage[] = [
  { name: 'landing', path: () => '/', reader: 'visitor' },
  { name: 'sign-in', path: () => '/signin', reader: 'visitor' },
  { name: 'sign-up', path: () => '/signup', reader: 'visitor' },
  { name: 'list', path: () => '/codes' },
  { name: 'list-nothing-found', path: () => '/codes?q=nothing-has-this-name' },
  { name: 'list-empty', path: () => '/codes', reader: 'operator' },
  { name: 'new', path: () => '/codes/new' },
  { name: 'new-contact', path: () => '/codes/new?type=vcard' },
  { name: 'new-file', path: () => '/codes/new/file' },
  { name: 'ready', path: (site) => `${site.codePath(menu)}/ready` },
  { name: 'code', path: (site) => `${site.codePath(menu)}?days=90` },
  { name: 'code-contact', path: (site) => site.codePath(card) },
  { name: 'edit', path: (site) => `${site.codePath(menu)}/edit` },
  { name: 'designer', path: (site) => `${site.codePath(menu)}/design` },
  { name: 'print', path: (site) => `${site.codePath(menu)}/print` },
  { name: 'labels', path: (site) => `/codes/selection?${selected(site)}` },
  { name: 'photo', path: (site) => `${site.codePath(card)}/photo` },
  { name: 'file', path: (_, { fileCode }) => `/codes/${fileCode.id}/file` },
  { name: 'logo', path: (site) => `${site.codePath(wifi)}/page-logo` },
  { name: 'delete', path: (site) => `${site.codePath(menu)}/delete` },
  { name: 'templates', path: () => '/codes/styles' },
  { name: 'templates-empty', path: () => '/codes/styles', reader: 'operator' },
  { name: 'template', path: (_, { styleId }) => `/codes/styles/${styleId}` },
  { name: 'template-new', path: () => '/codes/styles/new' },
  { name: 'template-apply', path: (site) => `/codes/styles/apply?${selected(site)}` },
  { name: 'brand', path: () => '/codes/brand' },
  { name: 'keys', path: () => '/keys' },
  { name: 'webhooks', path: () => '/webhooks' },
  { name: 'webhooks-empty', path: () => '/webhooks', reader: 'operator' },
  { name: 'webhook', path: (_, { endpointId }) => `/webhooks/${endpointId}` },
  { name: 'webhook-delivery', path: (_, { deliveryId }) => `/webhooks/deliveries/${deliveryId}` },
  { name: 'webhook-new', path: () => '/webhooks/new' },
  { name: 'workspace', path: () => '/workspace' },
  { name: 'workspace-new', path: () => '/workspaces/new' },
  { name: 'member-remove', path: (_, { memberId }) => `/members/${memberId}/remove` },
  { name: 'members', path: () => '/members' },
  {
    name: 'invitation',
    path: (_, { invitationToken }) => `/invitations/${invitationToken}`,
    reader: 'visitor',
  },
  { name: 'history', path: () => '/history' },
  { name: 'history-code', path: (_, { fileCode }) => `/codes/${fileCode.id}/history` },
  { name: 'trash', path: () => '/codes/trash' },
  { name: 'account', path: () => '/account' },
  { name: 'security', path: () => '/account/security', reader: 'operator' },
  { name: 'two-factor', path: () => '/account/security' },
  { name: 'admin', path: () => '/admin', reader: 'operator' },
  { name: 'admin-users', path: () => '/admin/users', reader: 'operator' },
  { name: 'admin-workspaces', path: () => '/admin/workspaces', reader: 'operator' },
  {
    name: 'admin-workspace',
    path: (_, { workspaceId }) => `/admin/workspaces/${workspaceId}`,
    reader: 'operator',
  },
  { name: 'admin-queues', path: () => '/admin/queues', reader: 'operator' },
  { name: 'admin-blocks', path: () => '/admin/blocks', reader: 'operator' },
  { name: 'admin-audit', path: () => '/admin/audit', reader: 'operator' },
  { name: 'docs', path: () => '/docs', reader: 'visitor' },
  { name: 'docs-signed-in', path: () => '/docs' },
  { name: 'docs-resource', path: () => '/docs/scans-and-analytics', reader: 'visitor' },
  { name: 'docs-concept', path: () => '/docs/errors', reader: 'visitor' },
  { name: 'docs-search', path: () => '/docs?q=logo', reader: 'visitor' },
  sharePage('contact', card),
  sharePage('wifi', wifi),
  { name: 'share-links', path: (_, { linksToken }) => `/r/${linksToken}`, reader: 'visitor' },
  sharePage('event', 'Event'),
  sharePage('place', 'Way to the roastery, city map'),
  sharePage('phone', 'Machine service, hotline'),
  sharePage('sms', 'Tasting, reserve by text message'),
  sharePage('email', 'Wholesale enquiry, price list'),
  sharePage('text', 'Brewing guide, coffee bags'),
  { name: 'share-expired', path: (_, { expiredToken }) => `/r/${expiredToken}`, reader: 'visitor' },
  { name: 'share-not-found', path: () => '/r/abcdefghij', reader: 'visitor' },
  { name: 'not-found', path: () => '/nothing-here' },
  { name: 'components', path: () => '/ui' },
];

const variants = [
  { name: '1280-light', width: 1280, height: 900, colorScheme: 'light' },
  { name: '1280-dark', width: 1280, height: 900, colorScheme: 'dark' },
  { name: '390-light', width: 390, height: 844, colorScheme: 'light' },
  { name: '390-dark', width: 390, height: 844, colorScheme: 'dark' },
] as const;

/** On the sheet. The others are only for the folder of single pictures. */
const shownVariants = ['1280-light', '390-dark'];
const sheetWidth = 1480;
const largestBytes = 400_000;

/** `npm run screenshots:pages`: every page, wide and narrow, light and dark. Run by mocha, like take-screenshots.ts. */
describe('Contact sheet', function () {
  this.timeout(600_000);
  let site: DemoSite;
  let extras: Extras;
  let browser: Browser;

  before(async () => {
    const opened = await openBrowser();
    if (!opened) throw new Error('Screenshots need Chromium on the PATH.');
    browser = opened;
    site = await startDemoSite();
    extras = await addExtras(site);
    await mkdir(folder, { recursive: true });
  });
  after(() => site?.stop());

  const chosen = pages.filter(({ name }) => !only || only.test(name));
  for (const variant of variants)
    it(`pages at ${variant.name}`, async () => {
      for (const reader of readers) {
        const { width, height, colorScheme } = variant;
        const context = await openDemoContext(browser, site, {
          viewport: { width, height },
          colorScheme,
          reader,
        });
        for (const page of chosen.filter((each) => (each.reader ?? 'owner') === reader)) {
          const opened = await openDemoPage(context, site, page.path(site, extras));
          // What scripts draw, such as the preview of a design.
          await opened.waitForTimeout(200);
          await opened.screenshot({
            path: join(folder, `${page.name}-${variant.name}.png`),
            fullPage: true,
            animations: 'disabled',
            caret: 'hide',
          });
          await opened.close();
        }
        await context.close();
      }
    });

  it('one picture of all', async function () {
    if (only) return this.skip();
    const context = await browser.newContext({ viewport: { width: sheetWidth, height: 1000 } });
    const sheet = await context.newPage();
    await sheet.setContent(await sheetHtml());
    const picture = await sheet.screenshot({ type: 'jpeg', quality: 50, fullPage: true });
    expect(picture.length, 'bytes').to.be.below(largestBytes);
    await writeFile(new URL('pages.jpg', imagesFolder), picture);
    await context.close();
  });

  /** Light and wide beside dark and narrow, the upper part of each. */
  async function sheetHtml(): Promise<string> {
    const cells = [];
    for (const page of chosen) {
      const pictures = shownVariants.map(async (name) => {
        const bytes = await readFile(join(folder, `${page.name}-${name}.png`));
        return `<img src="data:image/png;base64,${bytes.toString('base64')}">`;
      });
      cells.push(
        `<figure>${(await Promise.all(pictures)).join('')}<figcaption>${page.name}</figcaption></figure>`,
      );
    }
    return `<style>
body{margin:6px;display:grid;grid-template-columns:repeat(5,1fr);gap:6px;background:#777;color:#fff;font:11px/1.2 sans-serif}
figure{display:grid;grid-template-columns:1fr 30.47%;gap:2px 3px;margin:0}
img{width:100%;height:150px;object-fit:cover;object-position:top}
</style>${cells.join('')}`;
  }
});
