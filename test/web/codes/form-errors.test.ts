import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import { codeOwner, newCodePage } from './code-owner.ts';

inABrowser('Forms of QR codes with invalid input', sharedService, (site) => {
  const owner = codeOwner(site);
  before(() => owner.enter());

  it('do not save invalid input: each error is at its field, and the input stays', async () => {
    owner.visitor.provoked.push(/^400 .*\/preview\.svg\?.*size=5&/); // a size that has no picture
    await owner.page.goto('/codes/new?type=geo');
    await owner.page.getByText('Advanced').click();
    await owner.fillIn({
      'Coordinates or map link': '91, 13.4',
      'Size in pixels': '5',
      'Category (optional)': 'Shop',
    });
    await owner.page.getByRole('button', { name: 'Create QR code' }).click();
    const errorOf = (name: string) => owner.page.locator(`#field-${name}-error`).textContent();
    expect(await errorOf('place')).to.match(
      /^Coordinates or map link must be coordinates, such as 51\.5007,/,
    );
    expect(await errorOf('size')).to.equal('Size in pixels must be at least 128.');
    expect(await errorOf('name')).to.equal('Fill in this field.');
    expect(await owner.page.locator('.error').count()).to.equal(3);
    expect(await owner.page.getByLabel('Coordinates').inputValue()).to.equal('91, 13.4');
    expect(await owner.page.getByLabel('Category').inputValue()).to.equal('Shop');
    expect(await owner.page.title()).to.equal('Error: New code · Qrelay');
    expect(await owner.page.locator(':focus').textContent()).to.equal('Not saved. Check the marked fields.');
    await expectAccessible(owner.page);
  });

  it('remove each error when its field is valid, and the notice when none is left', async () => {
    owner.visitor.provoked.push(/^400 .*\/preview\.svg\?.*size=5&/);
    await owner.page.goto('/codes/new?type=geo');
    await owner.page.getByText('Advanced').click();
    await owner.fillIn({ 'Coordinates or map link': 'nowhere', 'Size in pixels': '5' });
    await owner.page.getByRole('button', { name: 'Create QR code' }).click();
    const errors = () =>
      owner.page.locator('.error').evaluateAll((notes) => notes.map(({ id }) => id.split('-')[1]));
    expect(await errors()).to.have.members(['place', 'name', 'size']);
    const field = (name: string) => owner.page.locator(`#field-${name}`);
    await field('name').fill('Harbor');
    await owner.page.locator('#field-name-error').waitFor({ state: 'detached' });
    expect(await field('name').getAttribute('aria-invalid')).to.equal(null);
    expect(await field('name').getAttribute('aria-describedby')).to.equal('field-name-hint');
    expect(await errors()).to.have.members(['place', 'size']);
    // Another invalid value keeps an error, with its own message.
    await field('size').fill('5000');
    await owner.page.getByText('Size in pixels must be at most 2048.').waitFor();
    owner.visitor.provoked.push(/^400 .*\/preview\.svg\?.*size=5000&/);
    await field('size').fill('500');
    await owner.page.locator('#field-size-error').waitFor({ state: 'detached' });
    expect(await owner.page.getByRole('alert').textContent()).to.equal('Not saved. Check the marked fields.');
    await field('place').fill('53.5503, 9.9920');
    await owner.page.locator('.error').first().waitFor({ state: 'detached' });
    expect(await owner.page.getByRole('alert').count()).to.equal(0);
    expect(await owner.page.locator('main > .notice').textContent()).to.equal(
      'No errors left. Save to try again.',
    );
    expect(await owner.page.title()).to.equal('New code · Qrelay');
    await expectAccessible(owner.page);
    // Checking has saved nothing.
    const { body } = await (await owner.api())('/qrcodes?type=geo');
    expect(body.data.map(({ name }: { name: string }) => name)).not.to.include('Harbor');
  });

  it('apply the rules of the API', async () => {
    await owner.page.goto('/codes/new');
    await owner.fillIn({ 'Web address': 'javascript:alert(1)', Name: 'Bad' });
    await owner.page.getByRole('button', { name: 'Create QR code' }).click();
    expect(await owner.page.locator('#field-content-error').textContent()).to.equal(
      'This is not a web address. Try example.com/menu.',
    );
  });

  it('show until when the code works, and reject a last day in the past', async () => {
    await owner.page.goto('/codes/new?type=text');
    const lastDay = owner.page.getByLabel('Last day');
    expect(await lastDay.inputValue()).to.equal('');
    expect(await owner.page.locator('#field-lastDay-hint').textContent()).to.equal(
      'Empty: the code works as long as it is used.',
    );
    await owner.fillIn({ Text: 'Hello', Name: 'Until then', 'Last day (optional)': '2020-01-31' });
    await owner.page.getByRole('button', { name: 'Create QR code' }).click();
    expect(await owner.page.locator('.error').allTextContents()).to.deep.equal([
      'Last day must be today or later.',
    ]);
    await lastDay.fill('2031-12-31');
    await owner.page.getByRole('button', { name: 'Create QR code' }).click();
    await owner.page.waitForURL(newCodePage);
    const id = newCodePage.exec(owner.page.url())?.[1] ?? '';
    expect(await owner.stored(id)).to.include({ expiresAt: '2032-01-01T00:00:00.000Z' });
    expect(await owner.page.locator('.facts div', { hasText: 'Expires' }).textContent()).to.equal(
      'ExpiresDec 31, 2031 (UTC)',
    );
    const hint = async () => {
      await owner.page.goto(`/codes/${id}/edit`);
      return owner.page.locator('#field-lastDay-hint').textContent();
    };
    expect(await hint()).to.equal(
      'The code works through the end of this day (UTC). Choose a later day to renew it, or none: it then works as long as it is used.',
    );
    const body = { expiresAt: '2031-12-31T09:30:00.000Z' };
    await (await owner.api())(`/qrcodes/${id}`, { method: 'PATCH', body });
    expect(await hint()).to.equal(
      'The code works until 9:30 AM UTC on this day. Choose a later day to renew it, or none: it then works as long as it is used.',
    );
  });
});
