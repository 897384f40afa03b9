import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner } from './code-owner.ts';

inABrowser('QR codes and their list', sharedService, (site) => {
  const owner = codeOwner(site);
  beforeEach(() => owner.enter());

  it('start with a page that explains what to do', async () => {
    await owner.page.goto('/codes');
    expect(await owner.page.title()).to.equal('QR codes · Qrelay');
    await expectAccessible(owner.page);
    expect(await owner.page.getByRole('link', { name: 'Create a key' }).getAttribute('href')).to.equal(
      '/keys',
    );
    await owner.page.getByRole('link', { name: 'Create your first code' }).click();
    await owner.page.waitForURL('**/codes/new');
  });

  it('can be searched by name, type and category', async () => {
    await owner.store({ name: '100% cotton', category: 'Shop' });
    await owner.store({ name: '100 cotton', type: 'text', content: 'x' });
    await owner.page.goto('/codes');
    expect(await owner.page.getByText('2 codes', { exact: true }).isVisible()).to.equal(true);
    await owner.page.getByLabel('Search by name').fill('0% COT');
    await owner.page.getByRole('button', { name: 'Search' }).click();
    expect(await owner.names()).to.deep.equal(['100% cotton']);
    expect(await owner.page.getByText('1 found', { exact: true }).isVisible()).to.equal(true);
    await owner.page.goto('/codes?type=text');
    expect(await owner.names()).to.deep.equal(['100 cotton']);
    await owner.page.getByLabel('Type').selectOption('');
    await owner.page.getByLabel('Category').selectOption('Shop');
    await owner.page.getByRole('button', { name: 'Search' }).click();
    await owner.page.waitForURL('**/codes?*category=Shop&endsWithin=');
    expect(await owner.names()).to.deep.equal(['100% cotton']);
    await owner.page.getByRole('link', { name: 'Clear' }).click();
    await owner.page.waitForURL('**/codes');
    expect(await owner.names()).to.have.length(2);
    expect(await owner.page.getByRole('link', { name: 'Clear' }).count()).to.equal(0);
    await owner.page.goto('/codes?q=silk');
    expect(await owner.page.getByRole('heading', { name: 'Nothing found' }).isVisible()).to.equal(true);
    await expectAccessible(owner.page);
  });

  it('fit the narrowest phone with any name', async () => {
    await owner.enter(narrowPhone);
    const { id } = await owner.store({
      name: `<script>alert(1)</script> رمز ${'x'.repeat(60)}`,
      category: 'y'.repeat(80),
    });
    for (const path of ['/codes', `/codes/${id}/edit`, `/codes/${id}/delete`, '/codes/new?type=geo']) {
      await owner.page.goto(path);
      expect(await isTooWide(owner.page), path).to.equal(false);
      await expectAccessible(owner.page);
    }
    // Also for an operator, whose navigation has one more link.
    await site.service.db('users').where({ email: owner.email }).update({ is_admin: true });
    await owner.page.goto('/codes');
    expect(await owner.page.getByRole('link', { name: 'Admin' }).isVisible()).to.equal(true);
    const rows = (label: string) =>
      owner.page.evaluate(`new Set([...document.querySelectorAll('nav[aria-label=${label}] a')].map(
        (link) => link.getBoundingClientRect().top)).size`);
    expect([await rows('Main'), await rows('Account')]).to.deep.equal([1, 1]);
    // The filters are closed there, and the menu opens within the screen.
    expect(await owner.page.getByLabel('Type').isVisible()).to.equal(false);
    await owner.page.getByText('Filters').click();
    expect(await owner.page.getByLabel('Type').isVisible()).to.equal(true);
    await owner.page.locator('.menu summary').click();
    expect(await isTooWide(owner.page)).to.equal(false);
  });
});
