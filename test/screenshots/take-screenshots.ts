import { mkdir, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { appearance } from './appearance.ts';
import { type DemoSite, openDemoContext, openDemoPage, startDemoSite } from './demo-site.ts';
import { digestsFile, folder, type Picture, pictures } from './pictures.ts';
import { shrinkPng } from './shrink-png.ts';

const largestBytes = 120_000;

/** `npm run screenshots`. Run by mocha, for the servers and the browser of the tests; `npm test` does not run it. */
describe('Screenshots', function () {
  this.timeout(120_000);
  let site: DemoSite;
  let browser: Browser;

  before(async () => {
    const opened = await openBrowser();
    if (!opened) throw new Error('Screenshots need Chromium on the PATH.');
    browser = opened;
    site = await startDemoSite();
    await mkdir(folder, { recursive: true });
  });
  after(() => site?.stop());

  for (const picture of pictures)
    for (const colorScheme of ['light', 'dark'] as const)
      it(`${picture.name}, ${colorScheme}`, async () => {
        const png = shrinkPng(await take(picture, colorScheme));
        expect(png.length, 'bytes').to.be.below(largestBytes);
        await writeFile(new URL(`${picture.name}-${colorScheme}.png`, folder), png);
      });

  it('what they show', async () => {
    const digests: Record<string, string> = {};
    for (const picture of pictures) digests[picture.name] = await appearance(site, picture.path(site));
    await writeFile(digestsFile, `${JSON.stringify(digests, null, 2)}\n`);
  });

  async function take(picture: Picture, colorScheme: 'light' | 'dark'): Promise<Buffer> {
    const context = await openDemoContext(browser, site, { ...picture.options, colorScheme });
    const page = await openDemoPage(context, site, picture.path(site));
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    await context.close();
    return png;
  }
});
