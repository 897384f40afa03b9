import { expect } from 'chai';
import { requestExport } from '../../src/accounts/account-exports.ts';
import { createCode } from '../../src/codes/codes.ts';
import { defaultLimits } from '../../src/limits.ts';
import { type Role, roles } from '../../src/workspaces/members.ts';
import { changeRole, leaveWorkspace, removeMember } from '../../src/workspaces/membership-changes.ts';
import type { WorkspaceId } from '../../src/workspaces/workspace.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { people, type Person, submit } from './people.ts';

describe('Members of a workspace', () => {
  let service: TestService;
  let mails: MailServer;
  let world: ReturnType<typeof people>;
  before(async () => {
    mails = await startMailServer();
    service = await startService({ config: { mail: mails.config }, worker: true });
    world = people(service);
  });
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  interface Action {
    path(target: Person): string;
    fields?: Record<string, string>;
    /** Of the target afterwards. Undefined: removed. */
    becomes: Role | undefined;
    /** Of the actor afterwards. */
    actorBecomes?: Role;
  }
  const actions: Record<string, Action> = {
    ...Object.fromEntries(
      roles.map((role) => [
        `make a new ${role} of`,
        { path: ({ user }: Person) => `/members/${user.id}/role`, fields: { role }, becomes: role },
      ]),
    ),
    remove: { path: ({ user }) => `/members/${user.id}/remove`, becomes: undefined },
    'hand over to': {
      path: ({ user }) => `/members/${user.id}/hand-over`,
      becomes: 'owner',
      actorBecomes: 'editor',
    },
  };

  for (const [name, { path, fields = {}, becomes, actorBecomes }] of Object.entries(actions))
    it(`${name} another one only as owners, whatever the role of the other is`, async () => {
      for (const actorRole of roles)
        for (const targetRole of roles) {
          const { id } = await world.workspace();
          const actor = await world.member(id, actorRole);
          const target = await world.member(id, targetRole);
          const { status } = await submit(actor, path(target), fields);
          const isAllowed = actorRole === 'owner';
          const about = `${actorRole}, ${targetRole}`;
          expect(status, about).to.equal(isAllowed ? 303 : 403);
          expect(await world.roleIn(id, target), about).to.equal(isAllowed ? becomes : targetRole);
          const after = isAllowed ? (actorBecomes ?? actorRole) : actorRole;
          expect(await world.roleIn(id, actor), about).to.equal(after);
        }
    });

  it('see each other, and only owners see what only owners can do', async () => {
    const { id, owner } = await world.workspace();
    await submit(owner, '/members/links', { uses: '3', linkRole: 'viewer', linkDays: '7' });
    const other = await world.member(id, 'viewer');
    for (const role of roles) {
      const { client, user } = await world.member(id, role);
      const page = await (await client.get('/members')).text();
      for (const email of [owner.user.email, other.user.email, user.email]) expect(page).to.contain(email);
      const forOwners = [
        `/members/${other.user.id}/role`,
        `/members/${other.user.id}/remove`,
        `/members/${other.user.id}/hand-over`,
        '/members/invitations"',
        '/members/links"',
        '/revoke',
      ];
      for (const path of forOwners) expect(page.includes(path), `${role} ${path}`).to.equal(role === 'owner');
      expect(page).to.contain('/members/leave');
    }
    const alone = await (await (await world.workspace()).owner.client.get('/members')).text();
    expect(alone).not.to.match(/\/members\/(?:leave|[\w-]+\/(?:role|remove|hand-over))/);
  });

  it('can leave, except the last owner, who cannot be removed or demoted either', async () => {
    const { id, owner } = await world.workspace();
    for (const role of roles) {
      const leaver = await world.member(id, role);
      expect((await submit(leaver, '/members/leave', {}, '/members/leave')).status).to.equal(303);
      expect(await world.roleIn(id, leaver)).to.equal(undefined);
      expect((await leaver.client.get('/codes')).status).to.equal(404);
    }
    const own = `/members/${owner.user.id}`;
    for (const [path, fields] of [
      ['/members/leave', {}],
      [`${own}/remove`, {}],
      [`${own}/role`, { role: 'viewer' }],
      [`${own}/role`, { role: 'editor' }],
    ] as const) {
      expect((await submit(owner, path, fields)).status, path).to.equal(409);
      expect(await world.roleIn(id, owner)).to.equal('owner');
    }
    expect(await (await owner.client.get('/members/leave')).text()).to.contain('You are the only owner');
  });

  const parallel: Record<
    string,
    (workspaceId: WorkspaceId, actor: Person, target: Person) => Promise<unknown>
  > = {
    'demote each other': (workspaceId, actor, target) =>
      changeRole(service.db, { workspaceId, actorId: actor.user.id, userId: target.user.id, role: 'viewer' }),
    'remove each other': (workspaceId, actor, target) =>
      removeMember(service.db, { workspaceId, actorId: actor.user.id, userId: target.user.id }),
    leave: (workspaceId, actor) => leaveWorkspace(service.db, { workspaceId, userId: actor.user.id }),
    'give up their role': (workspaceId, { user }) =>
      changeRole(service.db, { workspaceId, actorId: user.id, userId: user.id, role: 'editor' }),
  };
  for (const [name, act] of Object.entries(parallel))
    it(`keep exactly one owner when two owners ${name} at the same time`, async () => {
      for (let round = 0; round < 8; round += 1) {
        const { id, owner } = await world.workspace();
        const second = await world.member(id, 'owner');
        const outcomes = await Promise.all([act(id, owner, second), act(id, second, owner)]);
        expect(outcomes.filter((outcome) => outcome === 'changed')).to.have.length(1);
        const owners = (await service
          .db('workspace_members')
          .where({ workspace_id: id, role: 'owner' })) as unknown[];
        expect(owners).to.have.length(1);
      }
    });

  it('whose id is malformed, unknown or of another workspace are not found', async () => {
    const { owner } = await world.workspace();
    const { owner: stranger } = await world.workspace();
    for (const id of ['x', '%00', '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11', stranger.user.id])
      for (const action of ['role', 'remove', 'hand-over', 'revoke']) {
        const path = action === 'revoke' ? `/members/invitations/${id}/revoke` : `/members/${id}/${action}`;
        expect((await submit(owner, path, { role: 'viewer' })).status, path).to.equal(404);
      }
  });

  it('who are removed or demoted are told, and owners learn nothing new of themselves', async () => {
    const { id, owner } = await world.workspace();
    await service.db('workspaces').where({ id }).update({ name: 'evil.com/login' });
    const { user } = await world.member(id, 'editor');
    await submit(owner, `/members/${user.id}/role`, { role: 'viewer' });
    const [told] = await mails.mailsTo(user.email);
    expect(told?.headers['subject']).to.equal('Your role in a workspace was changed');
    expect(told?.text).to.contain('“evil com login”').and.contain('viewer').and.not.contain('evil.com');
    await submit(owner, `/members/${user.id}/remove`);
    const removed = (await mails.mailsTo(user.email, 2))[1];
    expect(removed?.text).to.contain('removed you from the workspace “evil com login”');
    expect(mails.received.filter(({ to }) => to.includes(owner.user.email))).to.deep.equal([]);
  });

  async function codeIn(workspaceId: WorkspaceId): Promise<string> {
    const { id } = await createCode(
      service.db,
      workspaceId,
      {
        name: 'Shared',
        type: 'url',
        content: 'https://example.com/',
        foregroundColor: '#000000',
        backgroundColor: '#ffffff',
        size: 128,
        errorCorrection: 'M',
      } as never,
      { lifetimeDays: 365, limits: defaultLimits, now: new Date() },
    );
    return id;
  }

  it('who are removed lose the page and its live stream within a second, and nobody else does [timed]', async () => {
    const { id, owner } = await world.workspace();
    const codeId = await codeIn(id);
    const [removed, stays] = [await world.member(id, 'viewer'), await world.member(id, 'viewer')];
    const open = async ({ client }: Person) => {
      const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const stop = new AbortController();
      const { body } = await fetch(`${service.url}/codes/${codeId}/events`, {
        headers: { Cookie: cookie, Accept: 'text/event-stream' },
        signal: stop.signal,
      });
      const state = { text: '', endedAt: 0, stop };
      const gather = async () => {
        for await (const chunk of body ?? []) state.text += Buffer.from(chunk).toString();
        state.endedAt = performance.now();
      };
      void gather().catch(() => undefined); // aborted at the end of the test
      await eventually(() => expect(state.text).to.contain('data:'));
      return state;
    };
    const [ending, staying] = [await open(removed), await open(stays)];
    await submit(owner, `/members/${removed.user.id}/remove`);
    const removedAt = performance.now();
    await eventually(() => expect(ending.endedAt).to.be.above(0));
    expect(ending.endedAt - removedAt).to.be.below(1_000);
    expect(staying.endedAt).to.equal(0);
    staying.stop.abort();
    expect((await removed.client.get(`/codes/${codeId}`)).status).to.equal(404);
  });

  it('who have left the workspace of their account get no export, plan or keys of it', async () => {
    const { id, owner } = await world.workspace();
    const heir = await world.member(id, 'viewer');
    await requestExport(service.db, id, new Date());
    expect((await owner.client.get('/workspace')).status).to.equal(200);
    await submit(owner, `/members/${heir.user.id}/hand-over`);
    expect((await owner.client.get('/workspace/export.zip')).status).to.equal(403);
    await submit(owner, '/members/leave');
    for (const path of ['/workspace', '/workspace/export.zip', '/keys'])
      expect((await owner.client.get(path)).status, path).to.equal(404);
    expect((await owner.client.post('/workspace/export', {})).status).to.equal(404);
  });
});
