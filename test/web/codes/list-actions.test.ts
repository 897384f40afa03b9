import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { codeOwner } from './code-owner.ts';

inABrowser('QR codes in their list', sharedService, (site) => {
  const owner = codeOwner(site);
  beforeEach(() => owner.enter());

  async function act(name: string, action: string): Promise<void> {
    const row = owner.page.getByRole('row', { name: new RegExp(name) });
    await row.locator('summary').click();
    await row.getByText(action, { exact: true }).click();
  }

  it('can be duplicated, made private and public, and added to favorites', async () => {
    const code = await owner.store({ name: 'Flyer', category: 'Shop' });
    await owner.page.goto('/codes');
    await act('Flyer', 'Duplicate');
    expect(await owner.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Flyer (copy)');
    expect(await owner.page.getByRole('status').first().textContent()).to.equal(
      'Copied. Change it and save, or delete it.',
    );
    // The copy already exists, so there is no Cancel button.
    expect(await owner.page.locator('.form-end :is(a, button)').allTextContents()).to.deep.equal([
      'Save changes',
      'Keep it as it is',
      'Delete it',
    ]);
    await owner.page.goto('/codes');
    expect(await owner.names()).to.deep.equal(['Flyer (copy)', 'Flyer']);
    const shareStatus = async () =>
      (await fetch(`${site.service.url}/r/${code.shareToken}`, { redirect: 'manual' })).status;
    expect(await shareStatus()).to.equal(302);
    const original = owner.page.locator('tbody tr').nth(1);
    await original.locator('summary').click();
    await original.getByText('Make private').click();
    await owner.page.getByText('Private', { exact: true }).waitFor();
    expect(await shareStatus()).to.equal(404);
    const picture = await owner.page.request.get(`/codes/${code.id}/picture.svg`);
    expect(picture.headers()['content-type']).to.contain('image/svg+xml');
    await original.locator('summary').click();
    await original.getByText('Make public').click();
    await owner.page.getByText('Private', { exact: true }).waitFor({ state: 'detached' });
    expect(await shareStatus()).to.equal(302);
    await owner.page.getByRole('button', { name: 'Favorite: Flyer', exact: true }).click();
    await owner.page.locator('[aria-pressed=true]').waitFor();
    await owner.page.reload();
    expect(await owner.names()).to.deep.equal(['Flyer', 'Flyer (copy)']);
    await expectAccessible(owner.page);
  });

  it('become favorites without leaving the page: focus and scroll position stay, and it is announced', async () => {
    for (let index = 0; index < 15; index += 1) await owner.store({ name: `Code ${index}` });
    await owner.page.setViewportSize({ width: 1000, height: 500 });
    await owner.page.goto('/codes');
    await owner.page.evaluate('window.isSamePage = true');
    const star = owner.page.getByRole('button', { name: 'Favorite: Code 3', exact: true });
    await star.scrollIntoViewIfNeeded();
    const place = () => owner.page.evaluate('scrollY');
    const before = await place();
    expect(before).to.be.above(100);
    const status = owner.page.getByRole('status').last();
    for (const [isMarked, sign, words] of [
      ['true', '★', 'Added to your favorites.'],
      ['false', '☆', 'Removed from your favorites.'],
      ['true', '★', 'Added to your favorites.'],
    ] as const) {
      await star.press('Enter');
      await status.filter({ hasText: words }).waitFor();
      expect(await star.getAttribute('aria-pressed')).to.equal(isMarked);
      expect(await star.textContent()).to.equal(sign);
      expect(await owner.page.locator(':focus').getAttribute('aria-label')).to.equal('Favorite: Code 3');
      expect(await place()).to.equal(before);
      const { body } = await (await owner.api())('/qrcodes?favorite=true');
      expect(body.data).to.have.length(isMarked === 'true' ? 1 : 0);
    }
    expect(await owner.page.evaluate('window.isSamePage')).to.equal(true);
    await expectAccessible(owner.page);
  });

  it('show the error page where adding to favorites fails', async () => {
    await owner.store({ name: 'Flyer' });
    await owner.page.goto('/codes');
    owner.visitor.provoked.push(/^401 .*\/favorite$/);
    await owner.page.context().clearCookies({ name: '__Host-qrelay-session' });
    await owner.page.getByRole('button', { name: 'Favorite: Flyer' }).click();
    await owner.page.waitForURL('**/signin?ended');
  });

  it('become favorites without JavaScript too, and the page returns to their row', async () => {
    await owner.enter({ javaScriptEnabled: false });
    const code = await owner.store({ name: 'Flyer' });
    await owner.store({ name: 'Other' });
    await owner.page.goto('/codes');
    await owner.page.getByRole('button', { name: 'Favorite: Flyer' }).click();
    expect(await owner.page.getByRole('status').textContent()).to.equal('Added to your favorites.');
    expect(new URL(owner.page.url()).hash).to.equal(`#code-${code.id}`);
    expect(await owner.names()).to.deep.equal(['Flyer', 'Other']);
  });

  it('have a menu over the list, one at a time, until Escape or a click outside', async () => {
    await owner.store({ name: 'First' });
    await owner.store({ name: 'Second' });
    await owner.page.goto('/codes');
    const height = () =>
      owner.page.evaluate("document.querySelector('table.codes').getBoundingClientRect().height");
    const before = await height();
    const [one, two] = [owner.page.locator('summary').nth(-2), owner.page.locator('summary').last()];
    const open = () => owner.page.locator('.menu[open]').count();
    await one.click();
    expect(await height()).to.equal(before);
    await owner.page.keyboard.press('Escape');
    expect(await open()).to.equal(0);
    expect(await one.evaluate((element) => element === element.ownerDocument.activeElement)).to.equal(true);
    await one.press('Enter');
    await two.press('Enter');
    expect(await open()).to.equal(1);
    await expectAccessible(owner.page);
    await owner.page.getByRole('heading', { name: 'QR codes' }).click();
    expect(await open()).to.equal(0);
  });

  it('are deleted only after their name is typed', async () => {
    const { id } = await owner.store({ name: 'Old flyer' });
    await owner.page.goto('/codes');
    await act('Old flyer', 'Delete');
    await owner.page.getByLabel('Type the name').fill('Old');
    await owner.page.getByRole('button', { name: 'Delete' }).click();
    expect(await owner.page.locator('.error').textContent()).to.equal('This is not the name of the code.');
    await expectAccessible(owner.page);
    await owner.page.getByLabel('Type the name').fill('Old flyer');
    expect(await owner.page.locator('.error, [aria-invalid]').count()).to.equal(0);
    await owner.page.getByRole('button', { name: 'Delete' }).click();
    expect(await owner.page.getByRole('status').textContent()).to.equal('The code was deleted.');
    expect((await (await owner.api())(`/qrcodes/${id}`)).status).to.equal(404);
  });
});
