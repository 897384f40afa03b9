import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { v7 as uuid } from 'uuid';
import type { QrCode } from '../../../src/codes/qr-code.ts';
import { packIds } from '../../../src/web/codes/print/selection.ts';
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

  const box = (name: string) => owner.page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const status = () => owner.page.locator('#selection [aria-live]').textContent();

  it('keeps the selection while the list is paged, filtered and searched, until it is cleared', async () => {
    await owner.enter();
    const { page } = owner;
    for (let number = 1; number <= 45; number += 1) await owner.store({ name: `Table ${number}` });
    await owner.store({ name: 'Garden', category: 'Outside' });
    await page.goto('/codes');
    await box('Garden').check();
    expect(await status()).to.equal('1 code selected.');
    await page.getByRole('button', { name: 'Select this page' }).press('Enter');
    expect(await status()).to.equal('20 codes selected.');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByText('20 codes selected, 20 of them not on this page.').waitFor();
    await box('Table 20').check();
    await page.goto('/codes?q=table+3');
    await page.getByText('21 codes selected, 11 of them not on this page.').waitFor();
    await box('Table 3').check();
    await box('Table 30').uncheck();
    await page.getByRole('button', { name: 'Print or download selected' }).click();
    await page.getByText('21 codes: Garden · Table 3 · Table 20 · Table 27').waitFor();
    const files = readZip(await downloaded('Download files as ZIP'));
    expect(files.size).to.equal(22);

    await page.goBack();
    await page.getByText('21 codes selected, 11 of them not on this page.').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    expect(await status()).to.equal('Selection cleared.');
    await page.goto('/codes');
    expect(await page.locator('.select-box input:checked').count()).to.equal(0);
    expect(await status()).to.equal('');
  });

  it('leaves out selected codes that were deleted meanwhile, and says so', async () => {
    await owner.enter();
    const { page } = owner;
    for (const name of ['Stays', 'Goes']) await owner.store({ name });
    await page.goto('/codes');
    for (const name of ['Stays', 'Goes']) await box(name).check();
    await site.service.db('qr_codes').where({ name: 'Goes' }).delete();
    for (const button of ['Print or download selected', 'Apply a style to selected']) {
      await page.goto('/codes');
      await page.getByText('2 codes selected, 1 of them not on this page.').waitFor();
      await page.getByRole('button', { name: button }).click();
      if (button.startsWith('Apply')) await page.getByRole('heading', { name: 'No styles yet' }).waitFor();
      else {
        await page.getByText('1 of the selected codes does not exist any more and is left out.').waitFor();
        await page.getByText('1 code: Stays').waitFor();
        await expectAccessible(page);
      }
    }
  });

  it('stops at 300 codes, whose address proxies accept, and is empty where it cannot be read', async () => {
    await owner.enter();
    const { page } = owner;
    const { id } = await owner.store({ name: 'One more' });
    await page.goto('/codes');
    const others = Array.from({ length: 300 }, () => uuid());
    const key = await page.evaluate('"selection " + document.getElementById("selection").dataset.owner');
    await page.evaluate(`sessionStorage.setItem(${JSON.stringify(key)}, '${JSON.stringify(others)}')`);
    await page.reload();
    await box('One more').click();
    expect(await box('One more').isChecked()).to.equal(false);
    expect(await status()).to.match(/^300 codes selected.* as many as can be selected\./);
    await page.evaluate(
      `sessionStorage.setItem(${JSON.stringify(key)}, '${JSON.stringify([...others.slice(1), id])}')`,
    );
    await page.reload();
    await page.getByRole('button', { name: 'Print or download selected' }).click();
    await page.getByText('1 code: One more').waitFor();
    expect(page.url()).to.have.length.below(7_000);
    await page.evaluate(`sessionStorage.setItem(${JSON.stringify(key)}, '[')`);
    await page.goto('/codes');
    expect(await status()).to.equal('');
  });

  it('takes the checked boxes of the page without JavaScript', async () => {
    await owner.enter({ javaScriptEnabled: false });
    for (const name of ['Table 1', 'Table 2']) await owner.store({ name });
    await owner.page.goto('/codes');
    expect(await owner.page.getByRole('button', { name: 'Clear selection' }).isVisible()).to.equal(false);
    await box('Table 1').check();
    await owner.page.getByRole('button', { name: 'Print or download selected' }).click();
    await owner.page.getByText('1 code: Table 1').waitFor();
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
    const packed = packIds([mine.id, theirs.id]);
    const both = await (await client.get(`/codes/selection?codes=${packed}`)).text();
    expect(both).to.include('Mine').and.to.not.include('Theirs');
    const tooLong = `codes=${'A'.repeat(22_001)}`.slice(0, 15_000);
    for (const broken of ['codes=%00', 'codes=x&codes=y', 'codes[a]=x', 'codes=ü', tooLong])
      expect((await client.get(`/codes/selection?${broken}`)).status, broken.slice(0, 20)).to.equal(200);
    const many = Array.from({ length: 1_001 }, (_, index) => `code=${index}`).join('&');
    expect((await client.get(`/codes/labels.pdf?${many}`)).status).to.equal(400);
  });
});
