import { expect } from 'chai';
import { recordAction } from '../../../src/accounts/operator-actions.ts';
import { findOrCreateUser, type User } from '../../../src/accounts/users.ts';
import { changeSlug } from '../../../src/workspaces/former-slugs.ts';
import { ownWorkspaceId } from '../../../src/workspaces/workspace.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { partOf } from '../../support/html.ts';
import { mainText, signedInOperator } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('The pages of workspaces for operators', () => {
  let service: TestService;
  let operator: FormClient;
  before(async () => {
    service = await startService();
    operator = await signedInOperator(service);
  });
  after(() => service.stop());

  const textOf = async (path: string) => mainText(await operator.get(path));

  async function workspaceOf(email: string, name: string): Promise<User> {
    const user = await findOrCreateUser(service.db, email, new Date());
    await service.db('workspaces').where({ id: user.id }).update({ name });
    return user;
  }

  it('find workspaces by a part of the name, of the address now and before, and of the address of a member', async () => {
    const cleo = await workspaceOf('cleo@kestrel.example', 'Harbor Café');
    await workspaceOf('other@example.com', 'Elsewhere');
    await changeSlug(service.db, ownWorkspaceId(cleo), 'bay-window', new Date());
    for (const text of ['hARBOR', 'Bay-Win', 'cleo', 'leo@KESTREL']) {
      const found = await textOf(`/admin/workspaces?q=${encodeURIComponent(text)}`);
      expect(found, text).to.contain('Harbor Café').and.contain('/w/bay-window').and.not.contain('Elsewhere');
    }
    const all = await operator.get('/admin/workspaces');
    const page = await all.text();
    expect(page).to.contain(`href="/admin/workspaces/${cleo.id}"`).and.contain('Elsewhere');
    expect(partOf(page, 'main')).to.contain('<a href="/admin/workspaces" aria-current="page">Workspaces</a>');
    // Neither a wildcard nor a wrong page key is anything special.
    expect(await textOf('/admin/workspaces?q=%25')).to.contain('No workspaces found');
    expect((await operator.get('/admin/workspaces?q=%00&after=nonsense')).status).to.equal(200);
  });

  it('list workspaces newest first, page by page', async () => {
    for (let number = 1; number <= 27; number += 1)
      await findOrCreateUser(service.db, `listed-${number}@example.com`, new Date(number * 1_000));
    const numbers = (html: string) =>
      [...html.matchAll(/\/w\/listed-(\d+)/g)].map(([, each]) => Number(each));
    const first = await (await operator.get('/admin/workspaces?q=listed-')).text();
    expect(numbers(first)).to.deep.equal(Array.from({ length: 25 }, (_, index) => 27 - index));
    const next = /href="([^"]+after=[^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(numbers(await (await operator.get(next)).text())).to.deep.equal([2, 1]);
  });

  it('are for nobody else', async () => {
    const person = await signedIn(service, 'person@example.com');
    expect((await person.get('/admin/workspaces')).status).to.equal(404);
  });

  it('tell changes of a workspace from those of the account that it was created with', async () => {
    const user = await workspaceOf('both@example.com', 'Both & Co');
    for (const [action, note] of [
      ['operator.add', undefined],
      ['plan.change', 'free → pro'],
    ] as const)
      await recordAction(service.db, { operatorId: undefined, action, target: user.id, note }, new Date());
    const [ofWorkspace, ofAccount] = [
      await textOf(`/admin/workspaces/${user.id}`),
      await textOf(`/admin/users/${user.id}`),
    ];
    expect(ofWorkspace).to.contain('Changed the plan').and.not.contain('Made the account an operator');
    expect(ofAccount).to.contain('Made the account an operator').and.not.contain('Changed the plan');
    const audit = await (await operator.get('/admin/audit')).text();
    expect(audit).to.contain(`<a href="/admin/workspaces/${user.id}"><bdi>Both &amp; Co</bdi></a>`);
    expect(audit).to.match(
      new RegExp(`<a href="/admin/users/${user.id}"><bdi[^>]*>both@example.com</bdi></a>`),
    );
    await service.db('users').where({ id: user.id }).delete();
    await service.db('workspaces').where({ id: user.id }).delete();
    expect(await textOf('/admin/audit')).to.contain(user.id);
  });
});
