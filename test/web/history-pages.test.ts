import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { type PlainOwner, plainOwner } from './codes/code-owner.ts';
import { sharedService } from '../support/shared-service.ts';
import type { TestService } from '../support/service.ts';

describe('The history of a workspace', () => {
  let service: TestService;
  let owner: PlainOwner;
  let ids: { deleted: string; kept: string };
  before(async () => {
    service = await sharedService();
    owner = await plainOwner(service);
    const deleted = (await owner.store({ name: 'Old flyer' })).id;
    const kept = (await owner.store({ name: 'Menu' })).id;
    ids = { deleted, kept };
    await owner.api(`/qrcodes/${kept}`, { method: 'PATCH', body: { name: '=HYPERLINK("x")' } });
    await owner.api(`/qrcodes/${deleted}`, { method: 'DELETE' });
    const { browser } = owner;
    await browser.open('/codes/trash');
    await browser.follow('Delete now: Old flyer');
    browser.fillIn({ 'Type the name of the code to confirm': 'Old flyer' });
    await browser.press('Delete now');
    await browser.open('/keys');
    browser.fillIn({ Name: 'Cash desk' });
    await browser.press('Create key');
    await owner.api('/webhooks', {
      method: 'POST',
      body: { name: 'Stock', url: 'https://example.com/secret-path', events: ['code.created'] },
    });
    await owner.api('/styles', { method: 'POST', body: { name: 'Spring' } });
  });
  const texts = () => owner.browser.texts('.entry').map((text) => text.replaceAll(/\s+/g, ' '));

  it('shows its members who changed what, and links only to what is still there', async () => {
    const { browser } = owner;
    await browser.open('/codes');
    await browser.follow('History');
    const all = texts().join('\n');
    for (const expected of [
      /API key “.*Template Spring ?Created the template/,
      /Webhook Stock ?Created the webhook/,
      /You.*API key Cash desk ?Created the API key/,
      new RegExp(`You.*Code a deleted code, #${ids.deleted.slice(-6)} ?Deleted the code for good`),
      /Renamed the code from Menu to =HYPERLINK\("x"\)/,
    ])
      expect(all).to.match(expected);
    expect(all).to.not.contain('secret-path').and.to.not.contain('Old flyer');
    const links = browser.attributes('.subject a', 'href');
    expect(links).to.include(`/codes/${ids.kept}`).and.to.include('/keys');
    expect(links).to.not.include(`/codes/${ids.deleted}`);
    for (const link of new Set(links)) {
      await browser.open(String(link));
      expect(browser.status, link).to.equal(200);
    }
  });

  it('filters by person, kind and period', async () => {
    const { browser } = owner;
    const { id } = await findUserByEmail(service.db, owner.email);
    await browser.open(`/history?person=${id}`);
    const byThem = texts();
    expect(byThem).to.have.length(2);
    for (const text of byThem) expect(text).to.match(/^You /);
    await browser.open('/history');
    browser.fillIn({ What: 'webhook' });
    await browser.press('Filter');
    expect(texts()).to.have.length(1);
    expect(browser.value('What')).to.equal('webhook');
    const today = new Date().toISOString().slice(0, 10);
    await browser.open(`/history?kind=webhook&from=${today}&to=${today}`);
    expect(texts()).to.have.length(1);
    await browser.open('/history?to=2020-01-01');
    expect(browser.text('main')).to.contain('Nothing found').and.to.contain('Choose a longer period');
    await browser.open('/history?from=2026-02-02&to=2026-01-01');
    expect(browser.text('main')).to.contain('The period ends before it begins: “To” is earlier than “From”.');
    expect(browser.text('main')).to.not.contain('Choose a longer period');
    await browser.follow('Clear');
    expect(browser.path).to.equal('/history');
    expect(texts()).to.have.length.above(4);
    for (const query of [
      'person=x',
      'kind=x',
      'from=2026-99-99',
      'to=%00',
      'before=%00',
      'kind=webhook&kind=key',
    ]) {
      await browser.open(`/history?${query}`);
      expect([browser.status, texts().length > 4], query).to.deep.equal([200, true]);
    }
  });

  it('is a CSV that no spreadsheet runs', async () => {
    const { browser } = owner;
    await browser.open('/history?kind=code');
    await browser.follow('Download as CSV');
    expect(browser.headers.get('Content-Type')).to.equal('text/csv; charset=utf-8');
    const name = browser.headers.get('Content-Disposition');
    expect(name).to.match(/^attachment; filename="History to 20\d\d-\d\d-\d\d .+\.csv"/);
    const csv = browser.bytes.toString();
    expect(csv.startsWith('\uFEFFat,actorKind,')).to.equal(true);
    expect(csv).to.contain(`"'=HYPERLINK(""x"")"`).and.to.contain(owner.email);
    expect(csv).to.not.contain('Cash desk').and.to.not.contain('Old flyer');
  });

  it('says how people came and left, and who was invited', async () => {
    const { id: actor_id } = await findUserByEmail(service.db, owner.email);
    const [joined, editor, removed, mailed, link] = [1, 2, 3, 4, 5].map(() => randomUUID());
    const by = { workspace_id: actor_id, actor_kind: 'person', actor_id, actor_name: owner.email };
    const own = { ...by, actor_id: joined, actor_name: 'joined@example.com', subject_id: joined };
    const member = (
      subject_id: string | undefined,
      action: string,
      before: object | null,
      after: object | null,
    ) => ({
      ...by,
      kind: 'member',
      action,
      subject_id,
      subject_name: `${action}@example.com`,
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
    });
    const invitation = (subject_id: string | undefined, subject_name: string | null, fields: object) => ({
      ...member(subject_id, 'created', null, fields),
      kind: 'invitation',
      subject_name,
    });
    const revoked = (id: string | undefined, name: string | null) => ({
      ...invitation(id, name, { revoked_at: '2026-11-01T00:00:00Z' }),
      action: 'changed',
      before: '{"revoked_at":null}',
    });
    const request_id = 'a-request';
    const rows = [
      { ...member(joined, 'created', null, { role: 'editor' }), ...own },
      { ...member(joined, 'deleted', { role: 'editor' }, null), ...own },
      member(removed, 'deleted', { role: 'viewer' }, null),
      { ...member(editor, 'changed', { role: 'editor' }, { role: 'owner' }), request_id },
      { ...member(actor_id, 'changed', { role: 'owner' }, { role: 'editor' }), request_id },
      invitation(mailed, 'new@example.com', { role: 'viewer' }),
      invitation(mailed, '', { role: 'viewer' }),
      revoked(mailed, 'new@example.com'),
      invitation(link, null, { role: 'editor', max_uses: 3 }),
      revoked(link, null),
    ];
    for (const row of rows) await service.db('changes').insert(row);
    await owner.browser.open('/history');
    const told = texts().slice(0, rows.length).toReversed();
    const short = `#${link?.slice(-6)}`;
    for (const [index, expected] of [
      /^joined@example\.com .*Joined as an editor$/,
      /^joined@example\.com .*Left the workspace$/,
      /^You .*Member deleted@example\.com ?Removed a member$/,
      /^You .*Handed over the workspace: role changed from editor to owner$/,
      /^You .*Handed over the workspace: own role changed from owner to editor$/,
      /^You .*Invitation new@example\.com ?Invited as a viewer$/,
      new RegExp(`^You .*Invitation #${mailed?.slice(-6)} ?Invited as a viewer$`),
      /^You .*Invitation new@example\.com ?Revoked the invitation$/,
      new RegExp(`Invitation link ${short} ?Created an invitation link: editor$`),
      new RegExp(`Invitation link ${short} ?Revoked the invitation$`),
    ].entries())
      expect(told[index]).to.match(expected);
    await service.db('changes').whereIn('kind', ['member', 'invitation']).delete();
  });

  it('has pages', async () => {
    const { browser } = owner;
    await service.db.raw(
      `INSERT INTO changes (workspace_id, kind, action, subject_id, code_id, version, before, after)
       SELECT workspace_id, kind, action, subject_id, code_id, version + number, before, after
       FROM changes, generate_series(1, 50) AS number WHERE code_id = ? AND version = 2`,
      [ids.kept],
    );
    await browser.open('/history?kind=code');
    expect(texts()).to.have.length(50);
    await browser.follow('Next page');
    // Created twice, renamed, put into the trash and deleted.
    expect(texts()).to.have.length(5);
    expect(texts().at(-1)).to.contain('Created the code');
    await browser.follow('First page');
    expect(texts()).to.have.length(50);
  });
});
