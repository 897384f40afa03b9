import { expect } from 'chai';
import { plainBrowser } from '../../support/plain-browser.ts';
import { canRenderPdf, findCodes, renderPdf } from '../../support/render-pdf.ts';
import { openShare } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';
import { newCodePage } from './code-owner.ts';

describe('A restaurant', () => {
  it('signs up, designs the code of its menu, prints it, and changes the menu without printing again', async function () {
    if (!canRenderPdf()) return this.skip();
    const service = await sharedService();
    const browser = await plainBrowser(service);
    await browser.open('/signup');
    browser.fillIn({ Email: 'restaurant@example.com', Password: 'a long and rare password' });
    await browser.press('Sign up');
    expect(browser.path).to.equal('/codes');
    await browser.follow('Create your first code');
    await browser.follow('Banner');
    browser.fillIn({ 'Web address': 'example.com/menu-may', Name: 'Menu', 'Frame text': 'Our menu' });
    await browser.press('Create QR code');
    expect(browser.path).to.match(newCodePage);
    const code = browser.path.replace('/ready', '');
    await browser.press('Download');
    const [paper] = await renderPdf(browser.bytes);
    const [found, ...more] = paper ? await findCodes(paper) : [];
    const link = found?.text ?? '';
    expect(more).to.deep.equal([]);
    expect(link).to.match(/^https:\/\/qr\.test\/r\/\w{10}$/);
    // Two sides of a tent with the same picture, in its frame.
    await browser.open(code);
    await browser.follow('Print');
    browser.fillIn({ Format: 'tent' });
    await browser.press('Update the preview');
    expect(browser.attributes('.sheet image', 'href')).to.deep.equal(Array(2).fill(`${code}/print.svg`));
    await browser.open(`${code}/print.svg`);
    expect(browser.html).to.match(/^<svg /);

    const scanPaper = async () => {
      const response = await openShare(service.url, link.slice(-10));
      return [response.status, response.headers.get('Location')];
    };
    expect(await scanPaper()).to.deep.equal([302, 'https://example.com/menu-may']);
    await browser.open(code);
    await browser.follow('Edit');
    browser.fillIn({ 'Web address': 'example.com/menu-june' });
    await browser.press('Save changes');
    expect(browser.path).to.equal(code);
    expect(await scanPaper()).to.deep.equal([302, 'https://example.com/menu-june']);
  });
});
