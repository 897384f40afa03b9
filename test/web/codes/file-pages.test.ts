import { expect } from 'chai';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { type Design, normalizeDesign } from '../../../src/codes/design/design.ts';
import { newLogo } from '../../../src/codes/design/stored-logo.ts';
import { insertStyle } from '../../../src/codes/styles/styles.ts';
import { pdf } from '../../codes/files/pdf-file.ts';
import { jpeg, png } from '../../codes/files/logo-files.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { signedIn } from '../../support/form-client.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner, newCodePage } from './code-owner.ts';

const menu = (comment = '') => ({
  name: 'Menü Sommer.pdf',
  mimeType: 'application/pdf',
  buffer: pdf({ comment, bytes: 300_000 }),
});
const card = 'BEGIN:VCARD\nVERSION:3.0\nN:Doe;Ann;;;\nFN:Ann Doe\nEND:VCARD';

inABrowser('Files of codes', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());
  const fileOf = async (id: string) => (await (await owner.api())(`/qrcodes/${id}/file`)).body;

  it('are chosen in the form of a new code, shown with name and size, and open after a scan', async () => {
    const { page } = owner;
    await page.goto('/codes/new');
    await page.getByRole('link', { name: 'File', exact: true }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles(menu());
    await page.getByText('Menü Sommer.pdf, 0.3 MB').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.waitForURL(newCodePage);
    await page.getByText('Code created.').waitFor();
    const [, id = ''] = newCodePage.exec(page.url()) ?? [];
    const file = await fileOf(id);
    expect(file).to.include({ name: 'Menü Sommer.pdf', mediaType: 'application/pdf' });
    expect(await owner.stored(id)).to.include({ name: 'Menü Sommer', type: 'url', content: file.url });
  });

  it('are replaced and removed on the page of the code, which keeps its share link', async () => {
    const { page } = owner;
    const code = await owner.store();
    await page.goto(`/codes/${code.id}/edit`);
    await page.getByRole('link', { name: 'File', exact: true }).click();
    await page.getByText('A file replaces what the code opens now').waitFor();
    await page.getByLabel('File', { exact: true }).setInputFiles(menu('first'));
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('Uploaded. Scans open it from now on.').waitFor();
    await expectAccessible(page);
    const { url, updatedAt } = await fileOf(code.id);
    await page.getByLabel('File', { exact: true }).setInputFiles(menu('second'));
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Replace' }).click();
    await loaded;
    await page.getByText('Uploaded. Scans open it from now on.').waitFor();
    const replaced = await fileOf(code.id);
    expect(replaced.url).to.equal(url);
    expect(replaced.updatedAt).to.not.equal(updatedAt);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The file was removed: a scan shows').waitFor();
    expect(await fileOf(code.id)).to.include({ name: null, url: null });
    expect((await owner.stored(code.id))['shareToken']).to.equal(code.shareToken);
  });

  it('that are none are named with the reason, and too large ones before they are sent', async () => {
    const { page, visitor } = owner;
    visitor.provoked.push(/^400 /);
    await page.goto('/codes/new/file');
    const choose = (buffer: Buffer) =>
      page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer });
    await choose(Buffer.from('<html>'));
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.locator('.drop .error').getByText('The file must be a PDF, PNG, JPEG or WebP file.').waitFor();
    await choose(Buffer.alloc(10 * 1024 * 1024 + 1));
    await page.locator('.drop .error').getByText('This file has 10.0 MB. Choose one with').waitFor();
    await expectAccessible(page);
  });

  it('can be dropped', async () => {
    const { page } = owner;
    await page.goto('/codes/new/file');
    const data = await page.evaluateHandle(() => {
      const dropped = new DataTransfer();
      dropped.items.add(new File(['%PDF-1.4'], 'dropped.pdf', { type: 'application/pdf' }));
      return dropped;
    });
    await page.dispatchEvent('.drop', 'dragover', { dataTransfer: data });
    expect(await page.locator('.drop.over').count()).to.equal(1);
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
    await page.getByText('dropped.pdf, 0.0 MB').first().waitFor();
    expect(await page.locator('.drop.over').count()).to.equal(0);
  });

  it('of contacts are photos, which the share page shows', async () => {
    const { page } = owner;
    const code = await owner.store({ type: 'vcard', content: card });
    await page.goto(`/codes/${code.id}`);
    await page.getByRole('link', { name: 'Photo', exact: true }).click();
    await page
      .getByLabel('Photo', { exact: true })
      .setInputFiles({ name: 'ann.jpg', mimeType: 'image/jpeg', buffer: await jpeg(400, 300) });
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('img', { name: 'The photo' }).waitFor();
    await expectAccessible(page);
    await page.goto(`/r/${code.shareToken}`);
    expect(
      await page.locator('img.photo').evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).to.equal(256);
    await expectAccessible(page);
  });

  it('fit narrow phones', async () => {
    await owner.enter(narrowPhone);
    const code = await owner.store({ name: 'Menu '.repeat(20).trim() });
    for (const path of ['/codes/new/file', `/codes/${code.id}/file`]) {
      await owner.page.goto(path);
      expect(await isTooWide(owner.page), path).to.equal(false);
      await expectAccessible(owner.page);
    }
    await owner.page.getByLabel('File', { exact: true }).setInputFiles(menu());
    await owner.page.getByRole('button', { name: 'Upload' }).click();
    await owner.page.getByRole('link', { name: 'Menü Sommer.pdf' }).waitFor();
    expect(await isTooWide(owner.page)).to.equal(false);
  });

  it('can be uploaded, replaced and removed without a script', async () => {
    await owner.enter({ javaScriptEnabled: false });
    const { page } = owner;
    await page.goto('/codes/new/file');
    await page.getByLabel('File', { exact: true }).setInputFiles(menu());
    await page.getByLabel('Name of the code (optional)').fill('Menu of the day');
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.waitForURL(newCodePage);
    await page.getByRole('link', { name: 'File', exact: true }).click();
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('%PDF-1.4') });
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('Not saved. Choose the file again.').waitFor();
    await page
      .getByText('File is declared as another type than it has: send it as application/pdf.')
      .waitFor();
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('Choose a file.').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed.').waitFor();
  });

  it('lead to the sign-in page where the session has ended', async () => {
    await owner.enter();
    const { page, visitor } = owner;
    visitor.provoked.push(/^401 /);
    await page.goto('/codes/new/file');
    await page.getByLabel('File', { exact: true }).setInputFiles(menu());
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.waitForURL('**/signin?ended');
  });

  it('are copied when a code is duplicated', async () => {
    const code = await owner.store();
    const api = await owner.api();
    const sent = { method: 'PUT', raw: new Uint8Array(png()), headers: { 'Content-Type': 'image/png' } };
    const { url } = (await api(`/qrcodes/${code.id}/file?name=Menu`, sent)).body;
    const client = await signedIn(site.service, owner.email);
    await client.get(`/codes/${code.id}`);
    const copied = await client.post(`/codes/${code.id}/duplicate`, {});
    const [, id = ''] = /\/codes\/([0-9a-f-]{36})\/edit/.exec(copied.headers.get('Location') ?? '') ?? [];
    const copy = await fileOf(id);
    expect(copy.url).to.not.equal(url);
    expect(await owner.stored(id)).to.include({ content: copy.url });
    await api(`/qrcodes/${code.id}`, { method: 'DELETE' });
    const served = await fetch(copy.url.replace('https://qr.test', site.service.url));
    expect([served.status, served.headers.get('content-type')]).to.deep.equal([200, 'image/png']);
  });

  async function addDefaultStyle(design: Partial<Design>) {
    const { db } = site.service;
    const ownerId = (await findUserByEmail(db, owner.email))?.id ?? '';
    const logo = newLogo(ownerId, png());
    const input = { name: 'Ours', design: normalizeDesign({ ...design, logo: logo.id }), newLogo: logo };
    await insertStyle(db, ownerId, { ...input, isDefault: true }, new Date());
    return logo.id;
  }

  async function createWithFile() {
    const { page } = owner;
    await page.goto('/codes/new/file');
    await page.getByLabel('File', { exact: true }).setInputFiles(menu());
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.waitForURL(newCodePage);
    return newCodePage.exec(page.url())?.[1] ?? '';
  }
  const designOf = async (id: string) => (await (await owner.api())(`/qrcodes/${id}/design`)).body;

  it('are opened by codes with the default style of the account, and its logo', async () => {
    await owner.enter();
    const logo = await addDefaultStyle({ moduleShape: 'dots', logoSize: 24 });
    const id = await createWithFile();
    await owner.page.getByText('Code created. Download it').waitFor();
    expect(await designOf(id)).to.include({ moduleShape: 'dots', logo });
    // As the form does, where the logo needs it.
    expect(await owner.stored(id)).to.include({ errorCorrection: 'H' });
    expect(await fileOf(id)).to.include({ name: 'Menü Sommer.pdf' });
  });

  it('are opened by a plain code where phones could not read it in the default style, and its page says why', async () => {
    await owner.enter();
    await addDefaultStyle({ gradientColor: '#ffffff' });
    const id = await createWithFile();
    await owner.page.getByText('Code created, without your default style').waitFor();
    await owner.page.getByText('gradientColor must be').waitFor();
    expect((await designOf(id)).updatedAt).to.equal(null);
    expect(await fileOf(id)).to.include({ name: 'Menü Sommer.pdf' });
  });
});
