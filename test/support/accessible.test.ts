import { expect } from 'chai';
import { expectAccessible } from './accessible.ts';
import { inABrowser } from './in-a-browser.ts';
import { sharedService } from './shared-service.ts';

inABrowser('The check of accessibility', sharedService, (site) => {
  it('examines frames, also those that allow no scripts', async () => {
    const { page } = await site.visit();
    const shown = (color: string) => `<!doctype html><html lang="en"><title>Page</title>
      <main><h1>Page</h1><iframe title="Preview" sandbox="" srcdoc="<!doctype html><html lang='en'><title>Preview</title>
      <body style='background:white'><main><h1 style='color:${color}'>Preview</h1></main>"></iframe></main>`;
    await page.setContent(shown('#222222'));
    await expectAccessible(page);
    await page.setContent(shown('#eeeeee'));
    const error = await expectAccessible(page).catch((reason: { actual: string[] }) => reason);
    expect(String(error?.actual)).to.match(/^color-contrast /);
  });
});
