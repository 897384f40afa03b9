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

  it('finds a poor contrast in both themes, once the same element was examined, and every other violation', async () => {
    const { page } = await site.visit();
    const show = (content: string) =>
      page.setContent(`<!doctype html><html lang="en"><title>Page</title>
      <style>@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } .late { color: #333 } }</style>
      <main><h1>Page</h1>${content}</main>`);
    const violations = async () => {
      const error = await expectAccessible(page).catch(
        (reason: { actual: string[]; message: string }) => reason,
      );
      return error
        ? `${error.message.slice(0, 6)}${error.actual.map((text) => text.split(' ')[0]).join()}`
        : '';
    };
    await show('<p>Text</p>');
    expect(await violations()).to.equal('');
    await show('<p>Text</p><p class="late">Dark on dark</p>');
    expect(await violations()).to.equal('dark: color-contrast-enhanced');
    await show('<p>Text</p><p style="color: #ddd">Light on light</p>');
    expect(await violations()).to.equal('light:color-contrast');
    await show('<p>Text</p><img src="data:,">');
    expect(await violations()).to.equal('light:image-alt');
  });
});
