import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { QrCode } from '../../../src/codes/qr-code.ts';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { signedIn } from '../../support/form-client.ts';
import { readZip } from '../../support/read-zip.ts';
import { canRenderPdf, findCodes, renderPdf } from '../../support/render-pdf.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner, storeCode } from './code-owner.ts';

inABrowser('Printing codes from the list', sharedService, (site) => {
  const owner = codeOwner(site);

  async function downloaded(button: string): Promise<Buffer> {
    const [download] = await Promise.all([
      owner.page.waitForEvent('download'),
      owner.page.getByRole('button', { name: button }).click(),
    ]);
    return readFile(await download.path());
  }

  it('prints labels of the codes whose boxes are checked, by keyboard, in the order of their names', async function () {
    if (!canRenderPdf()) return this.skip();
    await owner.enter();
    const codes: QrCode[] = [];
    for (const name of ['Table 10', 'Table 2', 'Other', 'Table 1']) codes.push(await owner.store({ name }));
    await owner.page.goto('/codes');
    for (const name of ['Table 10', 'Table 2', 'Table 1'])
      await owner.page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).press('Space');
    await expectAccessible(owner.page);
    await owner.page.getByRole('button', { name: 'Print or download selected' }).press('Enter');
    await owner.page.getByText('3 codes: Table 1 · Table 2 · Table 10').waitFor();
    await expectAccessible(owner.page);

    await owner.fillIn({ 'Start at label': '3' });
    const [page, ...more] = await renderPdf(await downloaded('Download labels as PDF'));
    expect(more).to.deep.equal([]);
    const found = await findCodes(page as NonNullable<typeof page>);
    const inOrder = found
      .toSorted((a, b) => a.yMm - b.yMm || a.xMm - b.xMm)
      .map(({ text }) => text.slice(-10));
    const tokenOf = (name: string) => codes.find((code) => code.name === name)?.shareToken;
    // The third label ends the first row.
    const byRow = found.map(({ yMm }) => Math.round(yMm / 38.1));
    expect(byRow).to.have.members([1, 2, 2]);
    expect(inOrder[0]).to.equal(tokenOf('Table 1'));
    expect(inOrder).to.have.members(['Table 1', 'Table 2', 'Table 10'].map(tokenOf));
  });

  it('shows the errors of a form beside its fields, and keeps the codes', async () => {
    await owner.enter();
    await owner.store({ name: 'Table 1' });
    await owner.page.goto('/codes/selection?all=on');
    await owner.fillIn({ 'Start at label': '22' });
    await owner.page.getByRole('button', { name: 'Download labels as PDF' }).click();
    await owner.page
      .getByText('Start at label must be at most 21, the number of labels on the sheet.')
      .waitFor();
    await owner.page.getByLabel('Sheet').selectOption('grid');
    await owner.fillIn({ 'Start at label': '1' });
    // Its fields are open then.
    await owner.fillIn({ Columns: '12', Rows: '20', 'Side margins (mm)': '40' });
    await owner.page.getByRole('button', { name: 'Download labels as PDF' }).click();
    await owner.page.getByText('Rows and columns must leave labels of at least 15 by 15 mm.').waitFor();
    await expectAccessible(owner.page);
    await owner.fillIn({ Columns: '4', Rows: '5', 'Side margins (mm)': '10,5' });
    expect((await downloaded('Download labels as PDF')).toString('latin1', 0, 5)).to.equal('%PDF-');
  });

  it('downloads the files of all that a search finds, and shows how many have arrived', async () => {
    await owner.enter();
    for (let number = 1; number <= 22; number += 1) await owner.store({ name: `Table ${number}` });
    await owner.store({ name: 'Other' });
    await owner.page.goto('/codes?q=table');
    await owner.page.getByRole('checkbox', { name: 'All 22 codes' }).check();
    await owner.page.getByRole('button', { name: 'Print or download selected' }).click();
    await owner.page.evaluate(`
      globalThis.seen = [];
      new MutationObserver(() => {
        const bar = document.querySelector('progress');
        if (bar) seen.push([bar.value, bar.max]);
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    `);
    const files = readZip(await downloaded('Download files as ZIP'));
    expect(files.size).to.equal(23);
    expect([...files.keys()].filter((name) => name.startsWith('Table '))).to.have.length(22);
    await owner.page.getByText('The archive is complete.').waitFor();
    const seen = (await owner.page.evaluate('seen')) as [number, number][];
    expect(seen.map(([, max]) => max)).to.include(23);
    const values = seen.map(([value]) => value);
    expect(values).to.deep.equal(values.toSorted((a, b) => a - b));
    expect(values.at(-1)).to.equal(23);
  });

  it('says what to do if nothing was chosen', async () => {
    await owner.enter();
    await owner.store();
    await owner.page.goto('/codes');
    await owner.page.getByRole('button', { name: 'Print or download selected' }).click();
    await owner.page.getByRole('heading', { name: 'No codes chosen' }).waitFor();
    await expectAccessible(owner.page);
  });

  it('fits narrow phones', async () => {
    await owner.enter(narrowPhone);
    await owner.store({ name: 'Menu '.repeat(20).trim() });
    for (const path of ['/codes', '/codes/selection?all=on']) {
      await owner.page.goto(path);
      expect(await isTooWide(owner.page), path).to.equal(false);
      await expectAccessible(owner.page);
    }
  });

  it('leaves out the codes of others, and refuses more than 1,000', async () => {
    const { service } = site;
    await owner.enter();
    const mine = await owner.store({ name: 'Mine' });
    const theirs = await storeCode(service.db, 'someone-else@example.com', { name: 'Theirs' });
    const client = await signedIn(service, owner.email);
    const query = `code=${mine.id}&code=${theirs.id}&code=x`;
    const page = await (await client.get(`/codes/selection?${query}`)).text();
    expect(page).to.include('Mine').and.to.not.include('Theirs').and.to.not.include(theirs.id);
    const archive = await client.get(`/codes/files.zip?${query}`);
    const files = readZip(Buffer.from(await archive.arrayBuffer()));
    expect([...files.keys()]).to.deep.equal(['manifest.csv', `Mine-${mine.shareToken}.svg`]);
    expect((await client.get(`/codes/files.zip?code=${theirs.id}`)).headers.get('Content-Type')).to.match(
      /html/,
    );
    const many = Array.from({ length: 1_001 }, (_, index) => `code=${index}`).join('&');
    expect((await client.get(`/codes/labels.pdf?${many}`)).status).to.equal(400);
  });
});
