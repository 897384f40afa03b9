import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { v7 as uuid } from 'uuid';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { readZip } from '../../support/read-zip.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner } from './code-owner.ts';

/** What the list of codes does and looks like. What it contains is in list-pages.test.ts. */
inABrowser('The list of codes', sharedService, (site) => {
  const owner = codeOwner(site);
  beforeEach(() => owner.enter());

  const box = (name: string) => owner.page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const status = () => owner.page.locator('#selection .count').textContent();

  it('fits every window, as the other pages do, beside the navigation', async () => {
    const { page } = owner;
    const { id } = await owner.store({
      name: 'Manual of the espresso machine in the second kitchen',
      content:
        'https://www.example.com/restaurants/hamburg/menus/summer-terrace/espresso-machines/model-x200',
      category: 'Restaurant and hotel on the harbor',
    });
    await owner.store({
      name: 'n'.repeat(100),
      category: 'c'.repeat(80),
      type: 'text',
      content: 'w'.repeat(300),
    });
    await site.service.makeKey({ email: owner.email });
    const wide: string[] = [];
    for (const path of [
      '/codes',
      '/keys',
      `/codes/${id}`,
      `/codes/${id}/print`,
      `/codes/${id}/ready`,
      '/account',
      '/account/security',
      '/webhooks',
      '/codes/styles',
    ]) {
      await page.goto(path);
      for (const width of [900, 1024, 1100, 1280, 1366]) {
        await page.setViewportSize({ width, height: 800 });
        const outside = await page.evaluate<string[]>(`[...document.querySelectorAll('main *')]
          .filter((each) => each.checkVisibility() && each.matches('a, button, td, th, input, .sheet'))
          .filter((each) => each.getBoundingClientRect().right > innerWidth)
          .map((each) => each.localName + ' ' + each.textContent.slice(0, 20))`);
        if ((await isTooWide(page)) || outside.length > 0)
          wide.push(`${path} at ${width}: ${outside.slice(0, 3).join()}`);
      }
    }
    expect(wide).to.deep.equal([]);
  });

  it('adds favorites and opens menus without leaving the page', async () => {
    const { page } = owner;
    await page.goto('/codes');
    // Without any code.
    await expectAccessible(page);
    for (let index = 0; index < 8; index += 1) await owner.store({ name: `Code ${index}` });
    await page.setViewportSize({ width: 1000, height: 400 });
    await page.goto('/codes');
    await page.evaluate('window.isSamePage = true');
    const star = page.getByRole('button', { name: 'Favorite: Code 1', exact: true });
    await star.scrollIntoViewIfNeeded();
    const scrolled = () => page.evaluate('scrollY');
    const before = await scrolled();
    expect(before).to.be.above(100);
    const announced = page.getByRole('status').last();
    for (const [isMarked, words] of [
      ['true', 'Added to your favorites.'],
      ['false', 'Removed from your favorites.'],
      ['true', 'Added to your favorites.'],
    ] as const) {
      await star.press('Enter');
      await announced.filter({ hasText: words }).waitFor();
      expect(await star.getAttribute('aria-pressed')).to.equal(isMarked);
      expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('Favorite: Code 1');
      expect(await scrolled()).to.equal(before);
      const { body } = await (await owner.api())('/qrcodes?favorite=true');
      expect(body.data).to.have.length(isMarked === 'true' ? 1 : 0);
    }
    expect(await page.evaluate('window.isSamePage')).to.equal(true);

    // A menu opens over the list, one at a time, until Escape or a click outside.
    const height = () =>
      page.evaluate("document.querySelector('table.codes').getBoundingClientRect().height");
    const closed = await height();
    const [one, two] = [page.locator('.menu summary').first(), page.locator('.menu summary').last()];
    const open = () => page.locator('.menu[open]').count();
    await one.click();
    expect(await height()).to.equal(closed);
    await page.keyboard.press('Escape');
    expect(await open()).to.equal(0);
    expect(await one.evaluate((element) => element === element.ownerDocument.activeElement)).to.equal(true);
    await one.press('Enter');
    await two.press('Enter');
    expect(await open()).to.equal(1);
    await box('Code 7').check();
    await expectAccessible(page);
    await page.getByRole('heading', { name: 'QR codes' }).click();
    expect(await open()).to.equal(0);

    // Where it fails, the page is shown that says why.
    owner.visitor.provoked.push(/^401 .*\/favorite$/);
    await page.context().clearCookies({ name: '__Host-qrelay-session' });
    await star.click();
    await page.waitForURL('**/signin?ended');
  });

  it('keeps the selection while it is paged, filtered and searched, until it is cleared, and shows how much of an archive has arrived', async () => {
    const { page } = owner;
    for (let number = 1; number <= 25; number += 1) await owner.store({ name: `Table ${number}` });
    await owner.store({ name: 'Garden', category: 'Outside' });
    await page.goto('/codes');
    await box('Garden').press('Space');
    expect(await status()).to.equal('1 code selected.');
    const ofPage = page.getByRole('checkbox', { name: 'Select this page' });
    expect(await ofPage.evaluate((input) => Reflect.get(input, 'indeterminate'))).to.equal(true);
    await ofPage.press('Space');
    expect(await status()).to.equal('20 codes selected.');
    expect(await page.locator('#announcement').textContent()).to.equal('20 codes selected.');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByText('20 codes selected, 20 of them not on this page.').waitFor();
    await box('Table 6').check();
    await page.goto('/codes?q=table+2');
    await page.getByText('21 codes selected, 15 of them not on this page.').waitFor();
    await box('Table 2').check();
    await box('Table 20').uncheck();
    await page.getByRole('button', { name: 'Print or download selected' }).press('Enter');
    await page.getByText('21 codes: Garden · Table 2 · Table 6 · Table 7').waitFor();
    await page.getByLabel('Sheet').selectOption('grid');
    // Its fields are open then.
    await owner.fillIn({ Columns: '4' });
    await expectAccessible(page);

    await page.evaluate(`
      globalThis.seen = [];
      new MutationObserver(() => {
        const bar = document.querySelector('progress');
        if (bar) seen.push([bar.value, bar.max]);
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    `);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download files as ZIP' }).click(),
    ]);
    expect(readZip(await readFile(await download.path())).size).to.equal(22);
    await page.getByText('The archive is complete.').waitFor();
    const seen = (await page.evaluate('seen')) as [number, number][];
    expect(seen.map(([, max]) => max)).to.include(22);
    const values = seen.map(([value]) => value);
    expect(values).to.deep.equal(values.toSorted((a, b) => a - b));
    expect(values.at(-1)).to.equal(22);

    await page.goBack();
    await page.getByText('21 codes selected, 15 of them not on this page.').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    expect(await page.locator('#announcement').textContent()).to.equal('Selection cleared.');
    expect(await page.locator('.selection').isVisible()).to.equal(false);
    await page.goto('/codes');
    expect(await page.locator('.select-box input:checked').count()).to.equal(0);
    expect(await status()).to.equal('');
    // A selected code that is deleted meanwhile stays selected until the next page leaves it out.
    for (const name of ['Garden', 'Table 25']) await box(name).check();
    const { workspaceId } = await owner.store({ name: 'Another' });
    await site.service.db('qr_codes').where({ name: 'Garden', user_id: workspaceId }).delete();
    await page.goto('/codes');
    await page.getByText('2 codes selected, 1 of them not on this page.').waitFor();
    await page.getByRole('button', { name: 'Print or download selected' }).click();
    await page.getByText('1 of the selected codes does not exist any more and is left out.').waitFor();
  });

  it('selects up to 1,000 codes, posts more than an address can hold, and does nothing without a selection', async () => {
    const { page } = owner;
    const { id } = await owner.store({ name: 'One more' });
    await page.goto('/codes');
    const print = page.getByRole('button', { name: 'Print or download selected' });
    const apply = page.getByRole('button', { name: 'Apply a template to selected' });
    expect([await print.count(), await apply.count()]).to.deep.equal([0, 0]);
    await box('One more').check();
    expect([await print.isDisabled(), await apply.isDisabled()]).to.deep.equal([false, false]);
    await box('One more').uncheck();
    const others = Array.from({ length: 1_000 }, () => uuid());
    const key = await page.evaluate('"selection " + document.getElementById("selection").dataset.owner');
    await page.evaluate(`sessionStorage.setItem(${JSON.stringify(key)}, '${JSON.stringify(others)}')`);
    await page.reload();
    await box('One more').click();
    expect(await box('One more').isChecked()).to.equal(false);
    expect(await status()).to.match(/^1,000 codes selected.* as many as can be printed at a time\./);
    // A style is applied to fewer.
    expect([await print.isDisabled(), await apply.isDisabled()]).to.deep.equal([false, true]);
    await page.evaluate(
      `sessionStorage.setItem(${JSON.stringify(key)}, '${JSON.stringify([...others.slice(1), id])}')`,
    );
    await page.reload();
    await print.click();
    await page.getByText('1 code: One more').waitFor();
    expect(page.url()).to.match(/\/codes\/selection$/);
    await page.goBack();
    await page.evaluate(
      `sessionStorage.setItem(${JSON.stringify(key)}, '${JSON.stringify([...others.slice(0, 299), id])}')`,
    );
    await page.reload();
    await print.click();
    await page.getByText('1 code: One more').waitFor();
    expect(page.url()).to.have.length.within(6_000, 7_000);
    await page.evaluate(`sessionStorage.setItem(${JSON.stringify(key)}, '[')`);
    await page.goto('/codes');
    expect(await status()).to.equal('');
  });

  it('takes the checked boxes of the page without JavaScript', async () => {
    for (const name of ['Table 1', 'Table 2']) await owner.store({ name });
    const { page } = await site.visitAs(owner.email, { javaScriptEnabled: false });
    await page.goto('/codes');
    expect(await page.getByRole('button', { name: 'Clear selection' }).isVisible()).to.equal(false);
    await page.getByRole('checkbox', { name: 'Select Table 1', exact: true }).check();
    await page.getByRole('button', { name: 'Print or download selected' }).click();
    await page.getByText('1 code: Table 1').waitFor();
  });

  it('fits the narrowest phone with any name, and removes an error when its field is changed', async () => {
    const { id } = await owner.store({
      name: `<script>alert(1)</script> رمز ${'x'.repeat(60)}`,
      category: 'y'.repeat(80),
    });
    await owner.store({ name: 'One that stays' });
    const { page } = await site.visitAs(owner.email, narrowPhone);
    await page.goto(`/codes/${id}/delete`);
    expect(await isTooWide(page)).to.equal(false);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByText('The code was moved to the trash.').waitFor();
    await page.goto(`/codes/trash/${id}/delete`);
    await page.getByLabel('Type the name').fill('Old');
    await page.getByRole('button', { name: 'Delete now' }).click();
    await page.getByText('This is not the name of the code.').waitFor();
    expect(await isTooWide(page)).to.equal(false);
    await expectAccessible(page);
    await page.getByLabel('Type the name').fill('New');
    expect(await page.locator('.error, [aria-invalid]').count()).to.equal(0);
    await page.goto('/codes/selection?all=on');
    expect(await isTooWide(page)).to.equal(false);
    await expectAccessible(page);
    // An operator's navigation has one more link.
    await site.service.db('users').where({ email: owner.email }).update({ is_admin: true });
    await page.goto('/codes');
    expect(await page.getByRole('link', { name: 'Admin' }).isVisible()).to.equal(true);
    const rows = (label: string) =>
      page.evaluate(`new Set([...document.querySelectorAll('nav[aria-label=${label}] a')].map(
        (link) => link.getBoundingClientRect().top)).size`);
    expect([await rows('Main'), await rows('Account')]).to.deep.equal([1, 1]);
    expect(await isTooWide(page)).to.equal(false);
    await expectAccessible(page);
    // The filters are closed there, and the menu opens within the screen.
    expect(await page.getByLabel('Type').isVisible()).to.equal(false);
    await page.getByText('Filters').click();
    await page.getByLabel('Type').waitFor();
    await page.locator('.menu summary').click();
    expect(await isTooWide(page)).to.equal(false);
  });
});
