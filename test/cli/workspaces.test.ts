import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { listActions } from '../../src/accounts/operator-actions.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { startService, type TestService } from '../support/service.ts';

describe('qrelay workspace create', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const create = (slug: string, ...options: string[]) =>
    runQrelayHere(['workspace', 'create', slug, '--owner', 'anna@example.com', ...options], {
      DATABASE_URL: service.databaseUrl,
    });

  it('gives an owner a workspace with a reserved address, once, and records it', async () => {
    await findOrCreateUser(service.db, 'anna@example.com', new Date());
    const made = await create('support', '--name', 'Our support');
    expect(made.code, made.stderr).to.equal(0);
    const rows = (await service
      .db('workspaces')
      .join('workspace_members AS member', 'member.workspace_id', 'workspaces.id')
      .join('users', 'users.id', 'member.user_id')
      .where({ slug: 'support' })
      .select('name', 'role', 'email')) as object[];
    expect(rows).to.deep.equal([{ name: 'Our support', role: 'owner', email: 'anna@example.com' }]);
    const [entry] = await listActions(service.db, { limit: 1 });
    expect(entry).to.include({
      action: 'workspace.create',
      note: '/w/support',
      targetEmail: 'anna@example.com',
    });
    const again = await create('support');
    expect([again.code, again.stdout]).to.deep.equal([1, '']);
    expect(again.stderr).to.contain('There is a workspace with the address /w/support.');
    for (const [slug, ...options] of [
      ['No slug'],
      ['-x'],
      ['fine', '--name', ' '],
      ['fine', '--name', 'x'.repeat(61)],
    ] as const)
      expect((await create(slug, ...options)).code, slug).to.not.equal(0);
    expect(await service.db('workspaces').where({ slug: 'fine' })).to.deep.equal([]);
  });
});
