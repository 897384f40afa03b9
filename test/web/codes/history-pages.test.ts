import { expect } from 'chai';
import { Scan } from '../../../src/scans/scan.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { sharedService } from '../../support/shared-service.ts';
import { signedIn } from '../../support/form-client.ts';
import type { TestService } from '../../support/service.ts';
import { type PlainOwner, plainOwner } from './code-owner.ts';

describe('The history of a code', () => {
  let service: TestService;
  let owner: PlainOwner;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    owner = await plainOwner(service);
  });
  const lines = () => owner.browser.texts('.entry .lines li').map((text) => text.replaceAll(/\s+/g, ' '));
  const change = (id: string, body: object) => owner.api(`/qrcodes/${id}`, { method: 'PATCH', body });
  const notice = () => owner.browser.text('main .notice');

  it('says who changed what, and puts one change back, which is a change that can be undone', async () => {
    const { browser } = owner;
    const { id } = await owner.store({ name: 'Menu', content: 'https://example.com/one' });
    await browser.open(`/codes/${id}/edit`);
    browser.fillIn({ Name: 'Lunch', 'Category (optional)': 'Food' });
    await browser.press('Save changes');
    await change(id, { content: 'https://example.com/two', foregroundColor: '#112233' });
    await browser.open(`/codes/${id}`);
    await browser.follow('See all changes');
    expect(browser.text('h1')).to.equal('History of Lunch');
    expect(lines()).to.deep.equal([
      'Changed the destination from https://example.com/one to https://example.com/two',
      'Changed the foreground color from #000000 to #112233',
      'Renamed the code from Menu to Lunch',
      'Set the category: Food',
      'Created the code',
    ]);
    const [first, second] = browser.texts('.entry-head strong');
    expect([first?.startsWith('API key “'), second]).to.deep.equal([true, 'You']);
    expect(browser.text('.entry .when')).to.match(/^just now, /);
    expect(browser.count('.entry form')).to.equal(2);
    const [before] = browser.attributes('.version-pictures img', 'src');
    const pictures: string[] = [];
    for (const path of [String(before), `/codes/${id}/picture.svg`]) {
      await browser.open(path);
      expect(browser.headers.get('Content-Type')).to.contain('image/svg+xml');
      pictures.push(browser.html);
    }
    expect(pictures[0]).to.not.equal(pictures[1]);
    await browser.open(`/codes/${id}/history`);

    await browser.press('Put back: Renamed the code, Set the category');
    expect(notice()).to.equal('The earlier values were put back. Undo');
    expect(await owner.stored(id)).to.include({
      name: 'Menu',
      category: null,
      content: 'https://example.com/two',
    });
    expect(lines().slice(0, 2)).to.deep.equal([
      'Renamed the code from Lunch to Menu',
      'Removed the category: Food',
    ]);
    // Entries say so themselves when their message is gone.
    expect(browser.texts('.reverted')[0]).to.match(/^Reverts the change of .+ by you$/);
    expect(browser.count('.reverted')).to.equal(1);
    await browser.press('Undo');
    // Nothing to undo again: it would look like the message before.
    expect(notice()).to.equal('Undone. The code is as it was before.');
    expect(await owner.stored(id)).to.include({ name: 'Lunch', category: 'Food' });
    expect(browser.count('.reverted')).to.equal(2);
    await change(id, { isFavorite: true });
    await change(id, { isFavorite: false });
    await browser.open(`/codes/${id}/history`);
    expect(browser.count('.reverted'), 'a mark that was set and removed').to.equal(2);
    // What differs from nothing is not changed, and not called a success.
    const count = browser.count('.entry');
    await change(id, { name: 'Menu', category: null });
    await browser.open(`/codes/${id}/history`);
    await browser.press('Put back: Renamed the code, Set the category');
    expect([browser.status, notice()]).to.deep.equal([
      200,
      'Nothing to put back: the code already has these values.',
    ]);
    expect(browser.count('.entry')).to.equal(count + 1);
  });

  it('shows both values of what was changed again, and saves what the person chooses', async () => {
    const { browser } = owner;
    const { id } = await owner.store({ name: 'A', content: 'https://example.com/a' });
    await change(id, { name: 'B', content: 'https://example.com/b', category: 'Old' });
    await change(id, { name: 'C', content: 'https://example.com/c' });
    await browser.open(`/codes/${id}/history`);
    const wrong = 'Put back: Renamed the code, Changed the destination, Set the category';
    await browser.press(wrong);
    expect(browser.status).to.equal(409);
    expect(browser.texts('legend')).to.deep.equal(['Name', 'What the code opens']);
    const text = browser.text('main');
    expect(browser.text('h1')).to.equal('Undo this change?');
    // Which change: who made it, when, and what it was.
    expect(browser.text('.undone .entry-head')).to.match(/^API key “.+” just now/);
    expect(lines()).to.include('Renamed the code from A to B');
    // What is put back whatever one chooses, because nobody has changed it since.
    const also = () => browser.texts('.also li').map((line) => line.replaceAll(/\s+/g, ' '));
    expect(also()).to.deep.equal(['Category from Old to none']);
    expect(browser.texts('.option .hint')).to.have.length(4);
    for (const hint of browser.texts('.option .hint'))
      expect(hint).to.match(/^Set by (?:API key “.+”|Qrelay) just now/);
    for (const value of [
      'Keep the current value',
      'Restore the earlier value',
      'https://example.com/a',
      'https://example.com/c',
      'API key “',
    ])
      expect(text).to.contain(value);
    expect(await owner.stored(id)).to.include({ name: 'C', category: 'Old' });
    browser.fillIn({ Name: 'then', 'What the code opens': 'now' });
    // Somebody else is faster.
    await change(id, { name: 'D' });
    await browser.press('Save');
    expect([browser.status, notice()]).to.deep.equal([409, 'The code has changed since. Choose again.']);
    browser.fillIn({ Name: 'then', 'What the code opens': 'now' });
    await browser.press('Save');
    expect(notice()).to.equal('The earlier values were put back. Undo');
    expect(await owner.stored(id)).to.include({
      name: 'A',
      content: 'https://example.com/c',
      category: null,
    });
    await browser.press('Undo');
    expect(await owner.stored(id)).to.include({ name: 'D', category: 'Old' });
    await browser.press(wrong);
    browser.fillIn({ Name: 'now', 'What the code opens': 'then', Category: 'then' });
    await browser.press('Save');
    expect(await owner.stored(id)).to.include({
      name: 'D',
      content: 'https://example.com/a',
      category: null,
    });
  });

  it('tells passwords and other details apart without showing a password', async () => {
    const { browser } = owner;
    const wifi = (password: string) => `WIFI:T:WPA;S:Guests;P:${password};;`;
    const { id } = await owner.store({ type: 'wifi', content: wifi('hunter2hunter2') });
    await change(id, { content: wifi('another-secret') });
    await change(id, { content: wifi('the-third-one') });
    await change(id, { content: 'WIFI:T:WPA;S:Lobby;P:the-fourth-one;;' });
    await change(id, { content: 'WIFI:T:WPA;S:Lobby;P:the-fourth-one;H:true;;' });
    await browser.open(`/codes/${id}/history`);
    const expected = [
      'Changed the settings of the Wi-Fi network',
      'Changed the content from Guests to Lobby',
      'Changed the password of the Wi-Fi network',
      'Changed the password of the Wi-Fi network',
      'Changed the password of the Wi-Fi network',
      'Created the code',
    ];
    expect(lines()).to.deep.equal(expected);
    const buttons = browser.attributes('.entry form button', 'aria-label');
    expect(buttons.at(-1)).to.equal('Put back: Changed the password of the Wi-Fi network');
    const client = await signedIn(service, owner.email);
    await client.get(`/codes/${id}/history`);
    const question = await client.post(`/codes/${id}/history`, { version: '2' });
    const page = await question.text();
    expect(question.status).to.equal(409);
    expect(page).to.contain('The passwords differ. They are not shown here.');
    expect(page).to.not.match(/hunter2|another-secret|the-third|the-fourth/);
    await browser.open('/history?kind=code');
    expect(lines()).to.deep.equal(expected);
    expect(browser.html).to.not.match(/hunter2|another-secret|the-third|the-fourth/);

    const card = (more: string) => `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\n${more}\r\nEND:VCARD\r\n`;
    const contact = await owner.store({ type: 'vcard', content: card('TEL:+49301') });
    await change(contact.id, { content: card('TEL:+49302') });
    await change(contact.id, { content: card('TEL:+49302\r\nORG:Kestrel') });
    await browser.open(`/codes/${contact.id}/history`);
    expect(lines()).to.deep.equal([
      'Set the organization: Kestrel',
      'Changed the details of the content',
      'Created the code',
    ]);
  });

  it('does not show passwords, cuts long contents, and has pages', async () => {
    const { browser } = owner;
    const { id } = await owner.store({ type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:hunter2hunter2;;' });
    await change(id, { content: 'WIFI:T:WPA;S:Guests;P:another-secret;;' });
    const long = `https://example.com/${'long/'.repeat(60)}`;
    await change(id, { type: 'url', content: long });
    for (let number = 1; number <= 30; number += 1) await change(id, { name: `Name ${number}` });
    await browser.open(`/codes/${id}/history`);
    expect(browser.count('.entry')).to.equal(30);
    expect(browser.text('main')).to.not.contain(long);
    await browser.follow('Next page');
    expect(browser.count('.entry')).to.equal(3);
    expect(browser.text('main')).to.not.match(/hunter2|another-secret/);
    expect(browser.text('main')).to.contain(long).and.to.contain('Show all').and.to.contain('Guests');
    expect(lines().at(-2)).to.equal('Changed the password of the Wi-Fi network');
    expect(lines().at(-3)).to.match(/^Changed the content from Guests/);
    for (const query of ['before=x', 'before=-1', 'before=99999999999', 'before=%00', 'undo=1']) {
      await browser.open(`/codes/${id}/history?${query}`);
      expect([browser.status, browser.count('.entry'), browser.count('.undo')], query).to.deep.equal([
        200, 30, 0,
      ]);
    }
    const client = await signedIn(service, owner.email);
    await client.get(`/codes/${id}/history`);
    for (const version of ['', '0', '1', '99', '-1', '1.5', '99999999999', '\0'])
      expect((await client.post(`/codes/${id}/history`, { version })).status, version).to.equal(404);
    for (const version of ['x', '99', '99999999999', '%00x'])
      expect(
        (await client.get(`/codes/${id}/history/picture.svg?version=${version}`)).status,
        version,
      ).to.equal(404);
  });

  it('marks the days on which the destination was changed in the chart and its table', async () => {
    const { browser } = owner;
    const { id } = await owner.store({ content: 'https://example.com/a' });
    await Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
    await browser.open(`/codes/${id}`);
    expect(browser.count('.plot .mark')).to.equal(0);
    await change(id, { name: 'Renamed' });
    await change(id, { content: 'https://example.com/b' });
    await browser.open(`/codes/${id}`);
    expect(browser.count('.plot .mark')).to.equal(1);
    expect(browser.attributes('#timeline', 'aria-label')[0]).to.contain('The destination was changed on');
    expect(browser.texts('.timeline td').filter((text) => text === 'Destination changed')).to.have.length(1);
    expect(browser.texts('#timeline title').at(-1)).to.contain('destination changed');
    await browser.open(`/codes/${id}?period=last-month`);
    expect(browser.count('.plot .mark')).to.equal(0);
  });
});
