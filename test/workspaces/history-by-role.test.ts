import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import type { Role } from '../../src/workspaces/members.ts';
import type { WorkspaceId } from '../../src/workspaces/workspace.ts';
import { apiClient } from '../support/api-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { people, type Person, submit } from './people.ts';

/** What an entry about each says, and the least role that opens the page with the same. */
const names: Record<string, { says: string; for: Role }> = {
  code: { says: 'Summer menu', for: 'viewer' },
  style: { says: 'Spring template', for: 'viewer' },
  member: { says: 'joined@example.org', for: 'viewer' },
  workspace: { says: 'Renamed team', for: 'viewer' },
  webhook: { says: 'Stock webhook', for: 'editor' },
  brand: { says: '#123456', for: 'editor' },
  key: { says: 'Till key', for: 'owner' },
  invitation: { says: 'invited@example.org', for: 'owner' },
};
const visible: Record<Role, string[]> = {
  owner: Object.keys(names),
  editor: ['code', 'style', 'member', 'workspace', 'webhook', 'brand'],
  viewer: ['code', 'style', 'member', 'workspace'],
};

describe('The history of a workspace, by role', () => {
  let service: TestService;
  let team: { id: WorkspaceId; owner: Person };
  let members: Record<Role, Person>;
  let codeId: string;
  before(async () => {
    service = await startService();
    const world = people(service);
    team = await world.workspace();
    const { id, owner } = team;
    members = { owner, editor: await world.member(id, 'editor'), viewer: await world.member(id, 'viewer') };
    const api = apiClient(service.url, await createApiKey(service.db, id, names['key']!.says, new Date()));
    const code = { name: 'Menu', content: 'https://example.com/' };
    codeId = (await api('/qrcodes', { method: 'POST', body: code })).body.id;
    await api(`/qrcodes/${codeId}`, { method: 'PATCH', body: { name: names['code']!.says } });
    await api('/styles', { method: 'POST', body: { name: names['style']!.says } });
    const webhook = { url: 'https://example.com/hook', events: ['code.created'] };
    await api('/webhooks', { method: 'POST', body: { name: names['webhook']!.says, ...webhook } });
    const joined = await world.person(names['member']!.says);
    await service.db('workspace_members').insert({
      workspace_id: id,
      user_id: joined.user.id,
      role: 'viewer',
      joined_at: new Date(),
    });
    await submit(owner, '/workspace/name', { name: names['workspace']!.says }, '/workspace');
    const brand = { foreground_color: '#000000', background_color: '#ffffff', updated_at: new Date() };
    await service.db('brands').insert({ user_id: id, ...brand });
    await service.db('brands').update({ foreground_color: names['brand']!.says });
    await service.db('invitations').insert({
      id: codeId,
      workspace_id: id,
      role: 'viewer',
      email: names['invitation']!.says,
      created_by: owner.user.id,
      created_at: new Date(),
      expires_at: new Date(Date.now() + 60_000),
      max_uses: 1,
      uses: 0,
    });
  });
  after(() => service.stop());

  const read = async (role: Role, path: string) => (await members[role].client.get(path)).text();
  const shownIn = (text: string) =>
    Object.keys(names).filter((kind) => text.includes(names[kind]?.says ?? ''));

  for (const role of ['owner', 'editor', 'viewer'] as const) {
    it(`shows ${role}s what the pages that they may open show, on its page and as CSV`, async () => {
      for (const path of ['/history', '/history.csv'])
        expect(shownIn(await read(role, path)), path).to.have.members(visible[role]);
    });

    it(`offers ${role}s no other kinds, and shows none to those who ask for one`, async () => {
      const page = await read(role, '/history');
      const offered = [...page.matchAll(/<option value="(\w+)"/g)].map(([, kind]) => kind);
      expect(offered.filter((kind) => kind && kind in names)).to.have.members(visible[role]);
      for (const kind of Object.keys(names))
        for (const path of [`/history?kind=${kind}`, `/history.csv?kind=${kind}`]) {
          const shown = shownIn(await read(role, path));
          expect(
            shown.filter((each) => !visible[role].includes(each)),
            path,
          ).to.deep.equal([]);
          if (visible[role].includes(kind)) expect(shown, path).to.include(kind);
        }
    });

    it(`names API keys that have changed a code ${role === 'owner' ? '' : 'not '}to ${role}s`, async () => {
      for (const path of [`/codes/${codeId}`, `/codes/${codeId}/history`]) {
        const page = await read(role, path);
        expect(page, path).to.contain('API key');
        expect(page.includes('Till key'), path).to.equal(role === 'owner');
      }
    });
  }

  it('goes on naming everything in the audit log of the API, which is for keys with that scope', async () => {
    const key = await createApiKey(service.db, team.id, 'Audit', new Date(), {
      scopes: ['audit'],
      expiresAt: null,
    });
    const { body } = await apiClient(service.url, key)('/audit?limit=100');
    expect(shownIn(JSON.stringify(body))).to.have.members(visible.owner);
  });
});
