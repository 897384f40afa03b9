import { expect } from 'chai';
import { listActions } from '../../../src/accounts/operator-actions.ts';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import type { FormClient } from '../../support/form-client.ts';
import { mainText, signedInOperator } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode, openShare } from '../../support/share.ts';

const owner = 'owner@example.com';

describe('The page of blocks', () => {
  let service: TestService;
  let operator: FormClient;
  let api: ApiClient;
  before(async () => {
    service = await startService();
    operator = await signedInOperator(service);
    api = apiClient(service.url, await service.makeKey({ email: owner }));
  });
  after(() => service.stop());

  const add = (fields: Record<string, string>) => operator.post('/admin/blocks', fields);
  async function statusOf(token: string): Promise<number> {
    service.passTime(10_000);
    return (await openShare(service.url, token)).status;
  }
  /** Follows the redirect to the list. */
  async function done(answer: Response): Promise<string> {
    expect(answer.status, await answer.clone().text()).to.equal(303);
    return mainText(await operator.get(answer.headers.get('Location') ?? ''));
  }
  async function refused(fields: Record<string, string>): Promise<string> {
    const answer = await add(fields);
    expect(answer.status).to.equal(400);
    return mainText(answer);
  }
  const latest = async () => (await listActions(service.db, { limit: 1 }))[0];

  it('blocks and unblocks a host, a code and an account as the command line does, and records each', async () => {
    const code = await createCode(api, { content: 'https://www.evil.example/x' });
    const user = await findOrCreateUser(service.db, owner, new Date());
    const cases = [
      { kind: 'host', value: 'https://Evil.example/path', stored: 'evil.example' },
      { kind: 'code', value: code.shareUrl, stored: code.id },
      { kind: 'account', value: owner.toUpperCase(), stored: user.id },
    ];
    for (const { kind, value, stored } of cases) {
      const reason = `Reported ${kind}`;
      expect(await done(await add({ kind, value, reason })))
        .to.contain('The block was added.')
        .and.to.contain(reason);
      expect(await statusOf(code.shareToken), kind).to.equal(410);
      expect(await latest()).to.include({ action: `${kind}.block`, target: stored, note: reason });
      expect(await done(await add({ kind, value }))).to.contain('This is already blocked.');
      const removed = await operator.post('/admin/blocks/remove', { kind, value: stored });
      expect(await done(removed))
        .to.contain('The block was removed.')
        .and.to.contain('Nothing is blocked');
      expect(await statusOf(code.shareToken), kind).to.equal(302);
      expect(await latest()).to.include({ action: `${kind}.unblock`, target: stored });
      const again = await operator.post('/admin/blocks/remove', { kind, value: stored });
      expect(await done(again)).to.contain('This block no longer exists.');
    }
    // What changed nothing is not recorded.
    expect(await listActions(service.db, { limit: 100 })).to.have.length(6);
  });

  it('names what is wrong beside the field, keeps the input, and blocks nothing', async () => {
    expect(await refused({ kind: 'host', value: 'not a host' })).to.contain(
      'Enter a host, such as example.com',
    );
    expect(await refused({ kind: 'code', value: 'nonsense' })).to.contain('Enter a share link');
    expect(await refused({ kind: 'code', value: '0000000000' })).to.contain('There is no such code.');
    expect(await refused({ kind: 'account', value: 'nobody@example.com' })).to.contain(
      'There is no account with',
    );
    expect(await refused({ kind: 'account', value: 'x\0' })).to.contain('There is no account with');
    expect(await refused({ kind: 'account', value: 'operator@example.com' })).to.contain(
      'An operator cannot be blocked',
    );
    expect(await refused({ kind: 'planet', value: 'earth' })).to.contain(
      'must be a host, a code, an account or a workspace',
    );
    expect(await refused({ kind: 'host', value: `${'x'.repeat(10_000)}.example` })).to.contain(
      'Enter a host',
    );
    const kept = await (await add({ kind: 'host', value: 'not a host', reason: 'Kept reason' })).text();
    expect(kept).to.contain('value="not a host"').and.to.contain('value="Kept reason"');
    expect(await service.db('blocks')).to.deep.equal([]);
  });

  it('blocks a whole top-level domain only if that is confirmed', async () => {
    expect(await refused({ kind: 'host', value: 'zip' }))
      .to.contain('This is the top-level domain zip')
      .and.to.contain('Block the whole top-level domain');
    expect(await done(await add({ kind: 'host', value: 'zip', topLevel: 'on' }))).to.contain(
      'The block was added.',
    );
    expect(await (await operator.get('/admin/blocks')).text()).to.contain('aria-label="Unblock zip"');
    await service.db('blocks').delete();
  });

  it('lists the newest first, page by page, and finds them by host, email or reason', async () => {
    await service.db('blocks').insert(
      Array.from({ length: 52 }, (_, index) => ({
        kind: 'host',
        value: `listed-${index}.example`,
        reason: index === 7 ? 'Phishing campaign' : null,
        created_at: new Date(index * 1_000),
      })),
    );
    const names = async (path: string) =>
      [...(await mainText(await operator.get(path))).matchAll(/listed-(\d+)\.example host/g)].map(([, n]) =>
        Number(n),
      );
    expect(await names('/admin/blocks')).to.deep.equal(Array.from({ length: 50 }, (_, index) => 51 - index));
    expect(await names('/admin/blocks?page=2')).to.deep.equal([1, 0]);
    expect(await names('/admin/blocks?page=-3')).to.have.length(50);
    expect(await names('/admin/blocks?q=pHISHING')).to.deep.equal([7]);
    expect(await names('/admin/blocks?q=listed-51')).to.deep.equal([51]);
    expect(await mainText(await operator.get('/admin/blocks?q=nothing'))).to.contain('No block matches');
    await service.db('blocks').delete();
  });

  it('shows a block whose account or code is gone, and can remove it', async () => {
    const id = '01890000-0000-7000-8000-000000000000';
    await service.db('blocks').insert({ kind: 'account', value: id, reason: null, created_at: new Date() });
    expect(await mainText(await operator.get('/admin/blocks'))).to.contain(id);
    const removed = await operator.post('/admin/blocks/remove', { kind: 'account', value: id });
    expect(await done(removed)).to.contain('The block was removed.');
  });
});

describe('The audit log', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('lists every change, newest first, page by page, and keeps the entries of deleted accounts without their email', async () => {
    const operator = await signedInOperator(service, 'leaving@example.com');
    const user = await findOrCreateUser(service.db, 'target@example.com', new Date());
    for (let number = 0; number < 26; number += 1)
      for (const plan of ['pro', 'free'])
        expect((await operator.post(`/admin/workspaces/${user.id}/plan`, { plan })).status).to.equal(303);
    const first = await operator.get('/admin/audit');
    const html = await first.clone().text();
    const text = await mainText(first);
    expect(text.match(/Changed the plan/g)).to.have.length(50);
    expect(text.indexOf('pro → free')).to.be.below(text.indexOf('free → pro'));
    expect(text).to.contain('leaving@example.com');
    expect(html).to.contain(`<a href="/admin/workspaces/${user.id}"><bdi>target</bdi></a>`);
    const next = /href="(\/admin\/audit\?before=[^"]+)"/.exec(html)?.[1] ?? '';
    expect((await mainText(await operator.get(next))).match(/Changed the plan/g)).to.have.length(2);

    const other = await signedInOperator(service, 'staying@example.com');
    await service.db('users').whereIn('email', ['leaving@example.com', 'target@example.com']).delete();
    const later = await mainText(await other.get('/admin/audit'));
    expect(later).to.contain('deleted account').and.to.contain(user.id);
    expect(later).not.to.contain('leaving@').and.not.to.contain('target@');
    expect((await other.get('/admin/audit?before=nonsense')).status).to.equal(200);
  });
});
