import { expect } from 'chai';
import { findUserByEmail } from '../../../src/accounts/users.ts';
import { type Design, normalizeDesign } from '../../../src/codes/design/design.ts';
import { newLogo } from '../../../src/codes/design/stored-logo.ts';
import { findCode } from '../../../src/codes/codes.ts';
import { purgeRemovedFiles, removeFile } from '../../../src/codes/files/removed-file.ts';
import { purgeFiles, saveFile } from '../../../src/codes/files/stored-file.ts';
import { insertStyle } from '../../../src/codes/styles/styles.ts';
import { pdf } from '../../codes/files/pdf-file.ts';
import { jpeg, png, svg } from '../../codes/files/logo-files.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner, newCodePage, type PlainOwner, plainOwner } from './code-owner.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

const name = 'Menü Sommer.pdf';
const menu = (comment = '') => pdf({ comment, bytes: 300_000 });
const card = 'BEGIN:VCARD\nVERSION:3.0\nN:Doe;Ann;;;\nFN:Ann Doe\nEND:VCARD';

describe('The pages of files', () => {
  let service: TestService;
  let owner: PlainOwner;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    owner = await plainOwner(service);
  });
  const fileOf = async (id: string) => (await owner.api(`/qrcodes/${id}/file`)).body;
  const designOf = async (id: string) => (await owner.api(`/qrcodes/${id}/design`)).body;
  const notice = () => owner.browser.text('main .notice');
  const file = (content: Buffer, fileName = name, type = 'application/pdf') =>
    new File([new Uint8Array(content)], fileName, { type });
  const share = (token: unknown) => fetch(`${service.url}/r/${String(token)}`, { redirect: 'manual' });

  async function createWithFile(fields: Record<string, string> = {}): Promise<string> {
    await owner.browser.open('/codes/new/file');
    owner.browser.fillIn({ File: file(menu()), ...fields });
    await owner.browser.press('Create QR code');
    return owner.opened();
  }

  it('create a code that opens a file, with its name or another one', async () => {
    const id = await createWithFile();
    expect(notice()).to.match(/^Code created\./);
    const uploaded = await fileOf(id);
    expect(uploaded).to.include({ name, mediaType: 'application/pdf' });
    const code = await owner.stored(id);
    expect(code).to.include({ name: 'Menü Sommer', type: 'url', content: uploaded.url });
    expect((await share(code['shareToken'])).headers.get('Location')).to.equal(uploaded.url);
    const named = await createWithFile({ 'Name of the code (optional)': 'Menu of the day' });
    expect(await owner.stored(named)).to.include({ name: 'Menu of the day', category: null });
    const expiring = await createWithFile({
      'Category (optional)': ' Menus ',
      'Expires (optional)': '2031-02-28',
    });
    const stored = await owner.stored(expiring);
    expect([stored['category'], stored['expiresAt']]).to.deep.equal(['Menus', '2031-03-01T00:00:00.000Z']);
    await owner.browser.open('/codes/new/file');
    owner.browser.fillIn({
      File: file(menu()),
      'Category (optional)': 'Menus',
      'Expires (optional)': '2020-01-01',
    });
    await owner.browser.press('Create QR code');
    expect(owner.browser.texts('.error')).to.deep.equal(['This day is over. Choose a day from today on.']);
    expect(owner.browser.value('Category (optional)')).to.equal('Menus');
  });

  it('replace and remove the file of a code, which keeps its share link, and name what is wrong with one', async () => {
    const { browser } = owner;
    const code = await owner.store();
    const upload = async (button: string, sent: Record<string, File> = {}) => {
      browser.fillIn(sent);
      await browser.press(button);
    };
    await browser.open(`/codes/${code.id}/edit`);
    await browser.follow('File');
    expect(browser.text('main')).to.contain('A file replaces what the code opens now');
    await upload('Upload', { File: file(menu('first')) });
    expect(notice()).to.equal('Uploaded. Scans open it from now on.');
    const { url, updatedAt } = await fileOf(code.id);
    await upload('Replace', { File: file(menu('second')) });
    const replaced = await fileOf(code.id);
    expect(replaced.url).to.equal(url);
    expect(replaced.updatedAt).to.not.equal(updatedAt);
    await upload('Replace', { File: file(Buffer.from('%PDF-1.4'), 'x.png', 'image/png') });
    expect(notice()).to.equal('Not saved. Choose the file again.');
    expect(browser.texts('.error')).to.deep.equal([
      'File is declared as another type than it has: send it as application/pdf.',
    ]);
    await upload('Replace');
    expect(browser.texts('.error')).to.deep.equal(['Choose a file.']);
    await browser.follow('Remove');
    await upload('Remove');
    expect(notice()).to.match(/^The file was removed\./);
    expect(browser.text('main')).to.contain('The file was removed: a scan shows');
    expect(await fileOf(code.id)).to.include({ name: null, url: null });
    expect((await owner.stored(code.id))['shareToken']).to.equal(code.shareToken);
  });

  const openFile = async (url: string) => fetch(url.replace('https://qr.test', service.url));

  it('ask before they remove a file, keep it where it is until then, and bring it back', async () => {
    const { browser } = owner;
    const id = await createWithFile();
    const { url } = await fileOf(id);
    await browser.open(`/codes/${id}/file`);
    await browser.follow('Remove');
    expect(browser.text('main')).to.contain(`Remove ${name} from`).and.contain('undo this for 30 days');
    expect((await openFile(url)).status).to.equal(200);
    await browser.follow('Keep it');
    await browser.follow('Remove');
    await browser.press('Remove');
    expect((await openFile(url)).status).to.equal(410);
    expect(notice()).to.equal('The file was removed. You can undo this for 30 days. Undo');
    await browser.press('Undo');
    expect(notice()).to.equal('The file is back. Scans open it again.');
    expect(Buffer.from(await (await openFile(url)).arrayBuffer()).equals(menu())).to.equal(true);
    // What was deleted meanwhile is not purged.
    await purgeFiles(service.db, () => false);
    expect((await openFile(url)).status).to.equal(200);
    // Once the message is gone, the page still offers it.
    await browser.follow('Remove');
    await browser.press('Remove');
    await browser.open(`/codes/${id}/file`);
    await browser.press('Restore');
    expect((await openFile(url)).status).to.equal(200);
  });

  it('keep removed files for 30 days, or until their space is needed', async () => {
    const user = await findUserByEmail(service.db, owner.email);
    const [oldest, older, kept] = [await createWithFile(), await createWithFile(), await createWithFile()];
    const bytes = (await fileOf(kept)).bytes;
    const left = async () =>
      (await service
        .db('removed_files')
        .where({ user_id: user?.id })
        .orderBy('removed_at')
        .pluck('code_id')) as string[];
    for (const id of [oldest, older]) {
      const code = await findCode(service.db, (user?.id as WorkspaceId) ?? '', id);
      await service.db.transaction((transaction) => removeFile(transaction, code, 'file', new Date()));
    }
    expect(await left()).to.deep.equal([oldest, older]);
    const code = await findCode(service.db, (user?.id as WorkspaceId) ?? '', kept);
    const upload = {
      kind: 'file' as const,
      name: 'Other.pdf',
      mediaType: 'application/pdf' as const,
      data: menu(),
    };
    await saveFile(service.db, code, upload, { quotaBytes: 2 * bytes + 1, now: new Date() });
    expect(await left()).to.deep.equal([kept]);
    const month = 30 * 24 * 3_600_000;
    await purgeRemovedFiles(service.db, new Date(Date.now() + month - 60_000));
    expect(await left()).to.deep.equal([kept]);
    await purgeRemovedFiles(service.db, new Date(Date.now() + month + 1_000));
    expect(await left()).to.deep.equal([]);
    await purgeFiles(service.db, () => false);
    const [{ chunks } = { chunks: -1 }] = (await service
      .db('code_file_chunks')
      .whereNotIn('file_id', service.db('code_files').select('id'))
      .whereNotIn('file_id', service.db('removed_files').select('id'))
      .whereNotIn('file_id', service.db('deleted_files').select('id'))
      .count('* as chunks')) as { chunks: number }[];
    expect(chunks).to.equal(0);
    await owner.browser.open(`/codes/${older}/file`);
    expect(owner.browser.texts('button')).not.to.include('Restore');
  });

  it('ask before another address takes the place of a file, and bring both back', async () => {
    const { browser } = owner;
    const id = await createWithFile();
    const { url } = await fileOf(id);
    await browser.open(`/codes/${id}/edit`);
    browser.fillIn({ 'Web address': 'example.com/elsewhere' });
    await browser.press('Save changes');
    expect(browser.status).to.equal(409);
    expect(notice()).to.contain(`no longer opens ${name}`).and.contain('You can undo this for 30 days');
    expect(await owner.stored(id)).to.include({ content: url });
    expect(browser.value('Web address')).to.equal('example.com/elsewhere');
    await browser.press('Save and remove the file');
    expect(await owner.stored(id)).to.include({ content: 'https://example.com/elsewhere' });
    expect((await openFile(url)).status).to.equal(404);
    expect(notice()).to.match(/^Changes saved, and the file was removed\./);
    await browser.press('Undo');
    expect(await owner.stored(id)).to.include({ content: url });
    expect((await openFile(url)).status).to.equal(200);
  });

  it('ask before another type takes the photo of a contact away, and bring both back', async () => {
    const { browser } = owner;
    const code = await owner.store({ type: 'vcard', content: card });
    await browser.open(`/codes/${code.id}/photo`);
    browser.fillIn({ Photo: file(await jpeg(), 'ann.jpg', 'image/jpeg') });
    await browser.press('Upload');
    await browser.open(`/codes/${code.id}/edit?type=text`);
    browser.fillIn({ Text: 'Hello' });
    await browser.press('Save changes');
    expect(notice()).to.contain('no longer has its photo');
    await browser.press('Save and remove the photo');
    expect(await owner.stored(code.id)).to.include({ type: 'text', content: 'Hello' });
    await browser.press('Undo');
    expect(await owner.stored(code.id)).to.include({ type: 'vcard', content: card });
    expect((await owner.api(`/qrcodes/${code.id}/photo`)).body.bytes).to.be.above(100);
  });

  it('copy the file when a code is duplicated', async () => {
    const { browser, api } = owner;
    const id = await createWithFile();
    const { url } = await fileOf(id);
    await browser.open(`/codes/${id}`);
    await browser.press('Duplicate');
    const [, copied = ''] = /\/codes\/([0-9a-f-]{36})\/edit/.exec(browser.path) ?? [];
    const copy = await fileOf(copied);
    expect(copy.url).to.not.equal(url);
    expect(await owner.stored(copied)).to.include({ content: copy.url });
    await api(`/qrcodes/${id}`, { method: 'DELETE' });
    const served = await fetch(copy.url.replace('https://qr.test', service.url));
    expect([served.status, served.headers.get('content-type')]).to.deep.equal([200, 'application/pdf']);
  });

  async function addDefaultStyle(design: Partial<Design>): Promise<string> {
    const ownerId = (await findUserByEmail(service.db, owner.email))?.id ?? '';
    const logo = newLogo(ownerId as WorkspaceId, png());
    const input = { name: 'Ours', design: normalizeDesign({ ...design, logo: logo.id }), newLogo: logo };
    await insertStyle(service.db, ownerId as WorkspaceId, { ...input, isDefault: true }, new Date());
    return logo.id;
  }

  it('give the code the default style of the account, and its logo', async () => {
    const logo = await addDefaultStyle({ moduleShape: 'dots', logoSize: 24 });
    const id = await createWithFile();
    expect(notice()).to.match(/^Code created\. Download it/);
    expect(await designOf(id)).to.include({ moduleShape: 'dots', logo });
    // As the form does, where the logo needs it.
    expect(await owner.stored(id)).to.include({ errorCorrection: 'H' });
    expect(await fileOf(id)).to.include({ name });
  });

  it('create nothing where phones could not read the code, and say what to change', async () => {
    const { browser } = owner;
    await addDefaultStyle({ gradientColor: '#ffffff' });
    await createWithFile({ 'Name of the code (optional)': 'Menu of the day' });
    expect(notice()).to.equal('Not saved. Check the marked fields, and choose the files again.');
    expect(browser.text('#field-gradientColor-error')).to.contain('Choose a darker second color');
    expect((await owner.api('/qrcodes')).body.data).to.deep.equal([]);
    browser.fillIn({ File: file(menu()), Gradient: false, Foreground: '#400000' });
    await browser.press('Create QR code');
    const id = owner.opened();
    expect(await owner.stored(id)).to.include({ name: 'Menu of the day', foregroundColor: '#400000' });
    expect((await designOf(id)).logo).to.be.a('string');
    expect(await fileOf(id)).to.include({ name });
  });

  it('save, describe and remove the logo of a share page', async () => {
    const { browser } = owner;
    const code = await owner.store({ type: 'text', content: 'Hello' });
    await browser.open(`/codes/${code.id}/edit`);
    await browser.follow('Logo of the page');
    const save = async (fields: Record<string, string | File>) => {
      browser.fillIn(fields);
      await browser.press('Save');
    };
    const image = (content: Buffer) => file(content, 'logo.png', 'image/png');
    await save({ 'What it shows': 'Café Linden' });
    expect(browser.texts('.error')).to.deep.equal(['Logo must be chosen.']);
    await save({ Logo: image(svg('<script>alert(1)</script>')) });
    expect(browser.texts('.error')).to.deep.equal(['Logo is an SVG with <script>: export it as PNG.']);
    await save({ Logo: image(png()) });
    expect(notice()).to.match(/^The logo was saved\./);
    expect(browser.attributes('main img', 'alt')).to.deep.equal(['Café Linden']);
    await save({ 'What it shows': 'Café Linden, Bonn' });
    expect(browser.attributes('main img', 'alt')).to.deep.equal(['Café Linden, Bonn']);
    expect(await (await share(code.shareToken)).text()).to.contain('alt="Café Linden, Bonn"');
    await browser.press('Remove the logo');
    expect(notice()).to.match(/^The logo was removed\./);
    expect(browser.count('main img')).to.equal(0);
    await eventually(async () =>
      expect(await (await share(code.shareToken)).text()).not.to.contain('Café Linden'),
    );
  });
});

inABrowser('The pages of files', sharedService, (site) => {
  const owner = codeOwner(site);
  beforeEach(() => owner.enter());
  const file = (buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer });

  it('take chosen and dropped files, name what is wrong with them, and upload them', async () => {
    const { page, visitor } = owner;
    visitor.provoked.push(/^40[01] /);
    await page.goto('/codes/new');
    await page.getByRole('link', { name: 'File', exact: true }).click();
    const input = page.getByLabel('File', { exact: true });
    const error = page.locator('.upload .error');
    await input.setInputFiles(file(Buffer.from('<html>')));
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await error.getByText('The file must be a PDF, PNG, JPEG or WebP file.').waitFor();
    await expectAccessible(page);
    /** Drops a file of that size. */
    const drop = async (bytes: number, dropped: string) => {
      const data = await page.evaluateHandle(
        ([size, fileName]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(size)], fileName, { type: 'application/pdf' }));
          return transfer;
        },
        [bytes, dropped] as const,
      );
      await page.dispatchEvent('.upload .drop', 'dragover', { dataTransfer: data });
      expect(await page.locator('.drop.over').count()).to.equal(1);
      await page.dispatchEvent('.upload .drop', 'drop', { dataTransfer: data });
      expect(await page.locator('.drop.over').count()).to.equal(0);
    };
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent += 1;
    });
    await drop(10 * 1024 * 1024 + 1, 'large.pdf');
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await error.getByText('This file has 10.0 MB. Choose one with').waitFor();
    expect(sent).to.equal(0);
    await drop(8, 'dropped.pdf');
    await page.getByText('dropped.pdf, 0.0 MB').first().waitFor();

    await input.setInputFiles(file(menu()));
    await page.getByText(`${name}, 0.3 MB`).first().waitFor();
    await page.getByRole('button', { name: 'Create QR code' }).click();
    await page.waitForURL(newCodePage);
    const [, id = ''] = newCodePage.exec(page.url()) ?? [];
    await page.goto(`/codes/${id}/file`);
    await input.setInputFiles(file(menu('second')));
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Replace' }).click();
    await loaded;
    await page.getByText('Uploaded. Scans open it from now on.').waitFor();
    await expectAccessible(page);
    // Where the session has ended, the page to sign in says so.
    await input.setInputFiles(file(menu()));
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.waitForURL('**/signin?ended');
  });

  it('show the photo of a contact and the logo of a share page, as that page does', async () => {
    const { page } = owner;
    const code = await owner.store({ type: 'vcard', content: card });
    await page.goto(`/codes/${code.id}/photo`);
    await page
      .getByLabel('Photo', { exact: true })
      .setInputFiles({ name: 'ann.jpg', mimeType: 'image/jpeg', buffer: await jpeg(400, 300) });
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('img', { name: 'The photo' }).waitFor();
    await expectAccessible(page);
    await page.goto(`/codes/${code.id}/page-logo`);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png() });
    await page.getByLabel('What it shows').fill('Café Linden');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('img', { name: 'Café Linden' }).waitFor();
    await expectAccessible(page);
    const { page: shared } = await site.visit();
    await shared.goto(`/r/${code.shareToken}`);
    const widthOf = (selector: string) =>
      shared.locator(selector).evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth);
    expect(await widthOf('img.photo')).to.equal(256);
    expect(await widthOf('img[alt="Café Linden"]')).to.equal(64);
    await expectAccessible(shared);
  });

  it('fit narrow phones', async () => {
    const { page } = await site.visitAs(owner.email, narrowPhone);
    const code = await owner.store({ name: 'Menu '.repeat(20).trim() });
    const sent = { method: 'PUT', raw: new Uint8Array(png()), headers: { 'Content-Type': 'image/png' } };
    await (await owner.api())(`/qrcodes/${code.id}/file?name=${'m'.repeat(60)}`, sent);
    for (const path of ['/codes/new/file', `/codes/${code.id}/file`]) {
      await page.goto(path);
      expect(await isTooWide(page), path).to.equal(false);
    }
    await expectAccessible(page);
  });
});
