import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { signedIn } from '../../support/form-client.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { isTooWide } from '../../support/web-visitor.ts';
import { codeOwner, type PlainOwner, plainOwner } from './code-owner.ts';

describe('The pages of the trash', () => {
  let service: TestService;
  let owner: PlainOwner;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    owner = await plainOwner(service);
  });
  const notice = () => owner.browser.text('main .notice');
  const names = () => owner.browser.texts('.trash strong');
  const userOf = ({ email }: PlainOwner) => service.db('users').where({ email }).select('id');
  const remove = (id: string) => owner.api(`/qrcodes/${id}`, { method: 'DELETE' });
  const follow = async (token: string) =>
    (await fetch(`${service.url}/r/${token}`, { redirect: 'manual' })).status;

  it('undo a deletion from its message', async () => {
    const { browser } = owner;
    const { id, shareToken } = await owner.store({ name: 'Old flyer' });
    await browser.open(`/codes/${id}/delete`);
    expect(browser.text('main')).to.contain('For 30 days you can restore it from the trash, with its scans.');
    expect(browser.text('main')).to.not.contain('cannot be undone');
    // It can be undone: one click is enough.
    expect(browser.count('form[action$="/delete"] input:not([type=hidden])')).to.equal(0);
    await browser.press('Move to trash');
    expect(notice()).to.contain('The code was moved to the trash. You can restore it for 30 days.');
    expect(await follow(shareToken)).to.equal(404);
    await browser.press('Undo');
    expect(browser.path).to.equal(`/codes/${id}`);
    expect(notice()).to.equal('The code was restored. Its share link works again.');
    expect(await follow(shareToken)).to.equal(302);
    // The message is shown once, and so is what undoes it.
    await browser.open(`/codes?deleted=${id}`);
    expect(browser.count('.undo')).to.equal(0);
  });

  it('show what was deleted, the latest first, with its picture and the day on which it is gone', async () => {
    const { browser } = owner;
    await browser.open('/codes');
    await browser.follow('Trash');
    expect(browser.text('main')).to.contain('The trash is empty');
    const [first, second] = [await owner.store({ name: 'First' }), await owner.store({ name: 'Second' })];
    for (const { id } of [first, second]) await remove(id);
    await service
      .db('trashed_codes')
      .where({ code_id: first.id })
      .update({ trashed_at: service.db.raw(`now() - interval '3 days'`) });
    await browser.open('/codes/trash');
    expect(names()).to.deep.equal(['Second', 'First']);
    const [, days] = browser.texts('.trash p');
    const on = (offset: number) =>
      new Date(Date.now() + offset * 86_400_000).toLocaleDateString('en-US', {
        year: 'numeric',
        month: 'short',
        day: 'numeric',
        timeZone: 'UTC',
      });
    expect(days).to.match(new RegExp(`^Deleted ${on(-3)} by API key “.+” Can be restored until ${on(27)}$`));
    const [picture] = browser.attributes('.trash img', 'src');
    await browser.open(String(picture));
    expect(browser.headers.get('Content-Type')).to.contain('image/svg+xml');
  });

  it('restore a code, and tell its owner where it is while it is deleted', async () => {
    const { browser } = owner;
    const { id } = await owner.store({ name: 'Flyer' });
    await remove(id);
    await browser.open(`/codes/${id}`);
    expect(browser.status).to.equal(404);
    expect(browser.text('h1')).to.equal('This code is in the trash');
    await browser.press('Restore Flyer');
    expect([browser.status, browser.path]).to.deep.equal([200, `/codes/${id}`]);
    await remove(id);
    await browser.open('/codes/trash');
    await browser.press('Restore Flyer');
    expect(browser.path).to.equal(`/codes/${id}`);
    expect(browser.count('.trash')).to.equal(0);
    const stranger = await plainOwner(service);
    await browser.open(`/codes/${id}/delete`);
    await browser.press('Move to trash');
    await browser.open('/codes/trash');
    expect(browser.text('.trash p')).to.match(/^Deleted .+ by you Can be restored until /);
    // Entries of the history are kept for some time only.
    await service.db('changes').where({ code_id: id }).delete();
    await browser.open('/codes/trash');
    expect(browser.text('.trash p')).to.match(/^Deleted \w+ \d+, \d+ Can be restored until /);
    await stranger.browser.open(`/codes/${id}`);
    expect(stranger.browser.text('h1')).to.equal('Page not found');
  });

  it('promise a viewer nothing that only editors can do', async () => {
    const { id } = await owner.store({ name: 'Flyer' });
    await remove(id);
    const { browser } = owner;
    await browser.open(`/codes/${id}`);
    expect(browser.text('main')).to.contain('You can restore it until');
    await service.db('workspace_members').whereIn('user_id', userOf(owner)).update({ role: 'viewer' });
    await browser.open(`/codes/${id}`);
    expect(browser.text('main')).to.contain('Editors of this workspace can restore it until');
    expect(browser.text('main')).to.not.contain('You can');
  });

  it('say what to do when the account has no room for a code', async () => {
    const { browser } = owner;
    const [first] = [await owner.store(), await owner.store(), await owner.store()];
    await remove(first.id);
    await service
      .db('workspaces')
      .whereIn('id', service.db('users').where({ email: owner.email }).select('id'))
      .update({ limits: { codes: 2 } });
    await browser.open('/codes/trash');
    await browser.press('Restore Menu');
    expect(browser.status).to.equal(400);
    expect(browser.text('main')).to.contain('Delete codes that you no longer need');
  });

  it('delete a code for good after a question, or all of them', async () => {
    const { browser } = owner;
    const codes = [await owner.store({ name: 'First' }), await owner.store(), await owner.store()];
    for (const { id } of codes) await remove(id);
    await browser.open('/codes/trash');
    await browser.follow('Delete now: First');
    expect(browser.text('main')).to.match(/scans, design and file are gone at once.* cannot be undone/);
    const name = 'Type the name of the code to confirm';
    for (const wrong of ['', 'Firs', 'delete']) {
      browser.fillIn({ [name]: wrong });
      await browser.press('Delete now');
      expect([browser.status, browser.texts('.error')]).to.deep.equal([
        400,
        ['This is not the name of the code.'],
      ]);
      expect(await service.db('trashed_codes').where({ code_id: codes[0]?.id })).to.have.length(1);
    }
    browser.fillIn({ [name]: ' First ' });
    await browser.press('Delete now');
    expect(notice()).to.equal('The code was deleted for good.');
    expect(names()).to.deep.equal(['Menu', 'Menu']);
    await browser.follow('Empty trash');
    expect(browser.text('main')).to.contain('Delete all 2 codes in the trash for good? Their share links');
    await browser.press('Empty trash');
    expect([browser.status, browser.texts('.error')]).to.deep.equal([400, ['Type “delete”.']]);
    expect(
      await service.db('trashed_codes').whereIn(
        'code_id',
        codes.map(({ id }) => id),
      ),
    ).to.have.length(2);
    browser.fillIn({ 'Type “delete” to confirm': 'Delete' });
    await browser.press('Empty trash');
    expect(notice()).to.equal('The trash was emptied.');
    for (const { id } of codes) expect(await service.db('qr_codes').where({ id })).to.deep.equal([]);
    await browser.open(`/codes/${codes[0]?.id}`);
    expect(browser.text('h1')).to.equal('Page not found');
  });

  it('restore or delete several codes at once, and only those of their owner', async () => {
    const { browser } = owner;
    const stranger = await plainOwner(service);
    const theirs = await stranger.store({ name: 'Theirs' });
    await stranger.api(`/qrcodes/${theirs.id}`, { method: 'DELETE' });
    const [one, two, three, four] = [
      await owner.store({ name: 'One' }),
      await owner.store({ name: 'Two' }),
      await owner.store({ name: 'Three' }),
      await owner.store({ name: 'Four' }),
    ];
    // One by one, because the latest is shown first.
    for (const { id } of [one, two, three, four]) await remove(id);
    await browser.open('/codes/trash');
    await browser.press('Restore selected');
    expect(notice()).to.equal('No codes were selected.');
    browser.fillIn({ 'Select One': true, 'Select Three': true });
    await browser.press('Restore selected');
    expect(notice()).to.equal('The selected codes were restored. Their share links work again.');
    expect(names()).to.deep.equal(['Four', 'Two']);
    for (const { shareToken } of [one, three]) expect(await follow(shareToken)).to.equal(302);
    browser.fillIn({ 'Select Two': true });
    await browser.press('Delete selected');
    expect(browser.text('main')).to.contain('Delete this code for good?').and.to.contain('Two');
    await browser.press('Delete it now');
    expect([browser.status, browser.texts('.error')]).to.deep.equal([400, ['Type “delete”.']]);
    expect(await service.db('qr_codes').where({ id: two.id })).to.have.length(1);
    browser.fillIn({ 'Type “delete” to confirm': 'delete' });
    await browser.press('Delete it now');
    expect(notice()).to.equal('The selected codes were deleted for good.');
    expect(names()).to.deep.equal(['Four']);
    expect(await service.db('qr_codes').where({ id: two.id })).to.deep.equal([]);

    await browser.follow('Empty trash');
    expect(browser.text('main')).to.contain('Delete the code in the trash for good? Its share link, scans,');

    const client = await signedIn(service, owner.email);
    await client.get('/codes/trash');
    for (const path of ['/codes/trash/restore', '/codes/trash/delete']) {
      const fields = { confirmation: 'delete', [`code-${theirs.id}`]: 'on', 'code-x': 'on', 'code-\0': 'on' };
      expect((await client.post(path, fields)).status).to.equal(303);
    }
    expect(await service.db('trashed_codes').where({ code_id: theirs.id })).to.have.length(1);
    await browser.open('/codes/trash');
    expect(names()).to.deep.equal(['Four']);
  });

  it('have pages of 20 codes', async () => {
    const { browser } = owner;
    const ids: string[] = [];
    for (let number = 1; number <= 22; number += 1)
      ids.push((await owner.store({ name: `Table ${number}` })).id);
    await owner.api('/qrcodes/bulk', { method: 'DELETE', body: { qrCodeIds: ids } });
    await browser.open('/codes/trash');
    expect(names()).to.have.length(20);
    expect(browser.text('.total')).to.equal('22 codes');
    await browser.follow('Next page');
    expect(names()).to.have.length(2);
    await browser.follow('Previous page');
    expect(names()).to.have.length(20);
    await browser.open('/codes/trash?after=1-not-an-id');
    expect(names()).to.have.length(20);
  });
});

inABrowser('The trash', sharedService, (site) => {
  const owner = codeOwner(site);

  it('fits the narrowest phone with any name, is accessible, and asks in a dialog', async () => {
    await owner.enter(narrowPhone);
    const { page } = owner;
    const name = `<script>alert(1)</script> رمز ${'x'.repeat(60)}`;
    const { id } = await owner.store({ name, content: `https://example.com/${'long/'.repeat(40)}` });
    const api = await owner.api();
    await api(`/qrcodes/${id}`, { method: 'DELETE' });
    for (const path of ['/codes/trash', `/codes/trash/${id}/delete`, '/codes/trash/empty']) {
      await page.goto(path);
      expect(await isTooWide(page), path).to.equal(false);
      await expectAccessible(page);
    }
    await page.goto('/codes/trash');
    // With one code, its own buttons are enough.
    expect(await page.locator('#selection').count()).to.equal(0);
    const second = await owner.store({ name: 'Second' });
    await api(`/qrcodes/${second.id}`, { method: 'DELETE' });
    await page.goto('/codes/trash');
    await page.getByLabel('Select Second').check();
    await page.getByText('1 code selected').first().waitFor();
    await page.getByRole('button', { name: 'Select this page' }).click();
    await page.getByText('2 codes selected').first().waitFor();
    expect(await isTooWide(page)).to.equal(false);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByLabel('Select Second').check();
    await page.getByRole('button', { name: 'Restore selected' }).click();
    await page.getByText('The selected codes were restored.').waitFor();
    await page.getByRole('link', { name: `Delete now: ${name}` }).click();
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.getByRole('dialog').getByText('Keep it').click();
    await page.getByRole('button', { name: `Restore ${name}` }).click();
    await page.getByText('The code was restored.').waitFor();
  });
});
