import { expect } from 'chai';
import { blockWorkspace } from '../../src/accounts/account-blocks.ts';
import { signUpAsInvited } from '../../src/accounts/invitation-links.ts';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { defaultLimits } from '../../src/limits.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { deleteWorkspace } from '../../src/accounts/deletion.ts';
import { acceptInvitation } from '../../src/workspaces/accept-invitation.ts';
import { foundWorkspace } from '../../src/workspaces/founding.ts';
import { inviteByLink, inviteByMail, purgeInvitations } from '../../src/workspaces/invitations.ts';
import { changeRole, handOver } from '../../src/workspaces/membership-changes.ts';
import type { Role } from '../../src/workspaces/members.ts';
import { ownWorkspaceId, type WorkspaceId } from '../../src/workspaces/workspace.ts';
import { digestOf, newToken } from '../../src/accounts/secrets.ts';
import { formClient } from '../support/form-client.ts';
import { partOf } from '../support/html.ts';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { draftInvitation } from '../../workers/membership-mails.ts';
import { people, type Person, submit } from './people.ts';

const password = 'correct horse battery staple';
const pathOf = (url: string) => new URL(url).pathname;

describe('Invitations', () => {
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

  let addresses = 0;
  const newAddress = () => `invited-${(addresses += 1)}@example.org`;

  interface Invited {
    id: WorkspaceId;
    owner: Person;
    path: string;
    email: string;
  }

  async function invite(kind: 'mail' | 'link', { uses = '1', role = 'editor' } = {}): Promise<Invited> {
    const { id, owner } = await world.workspace();
    const email = newAddress();
    if (kind === 'mail') {
      await submit(owner, '/members/invitations', { emails: email, role, days: '7' });
      const [mail] = await mails.mailsTo(email);
      if (!mail) throw new Error('no mail');
      return { id, owner, email, path: pathOf(linkIn(mail)) };
    }
    await submit(owner, '/members/links', { uses, linkRole: role, linkDays: '7' });
    const page = await (await owner.client.get('/members/links/created')).text();
    const path = /\/invitations\/[\w-]{43}/.exec(page)?.[0] ?? '';
    return { id, owner, email, path };
  }

  const acceptAs = async (person: Person, path: string) => submit(person, path, {}, path);
  const stateOf = async (path: string, person?: Person) => {
    const answer = await (person?.client ?? formClient(service.url)).get(path);
    return { status: answer.status, text: await answer.text() };
  };

  for (const kind of ['mail', 'link'] as const) {
    it(`by ${kind} say what they are about before anybody signs in, and let an account join once`, async () => {
      const { id, owner, email, path } = await invite(kind);
      const { status, text } = await stateOf(path);
      expect(status).to.equal(200);
      for (const said of [owner.user.email, 'Editor', 'Creates, changes and deletes codes'])
        expect(text).to.contain(said);
      expect(text.includes(email)).to.equal(kind === 'mail');
      const person = await world.person(email);
      expect((await stateOf(path)).text).to.contain(`/signin?next=${encodeURIComponent(path)}`);
      expect((await stateOf(path, person)).text).to.contain(`Join as <bdi>${email}</bdi>`);
      expect((await acceptAs(person, path)).status).to.equal(303);
      expect(await world.roleIn(id, person)).to.equal('editor');
      const [told] = await mails.mailsTo(owner.user.email);
      expect(told?.text).to.contain(email).and.contain('editor');
      // Used up: the same page as for any other link that does not work.
      expect((await stateOf(path)).status).to.equal(404);
      expect((await acceptAs(await world.person(), path)).status).to.equal(404);
    });

    const endings: Record<string, (invited: Invited) => Promise<unknown>> = {
      expired: ({ id }) =>
        service
          .db('invitations')
          .where({ workspace_id: id })
          .update({ expires_at: new Date(0) }),
      revoked: async ({ id, owner }) => {
        const { id: invitation } = (await service
          .db('invitations')
          .where({ workspace_id: id })
          .first('id')) as {
          id: string;
        };
        await submit(owner, `/members/invitations/${invitation}/revoke`);
      },
      'used up': ({ id }) =>
        service.db('invitations').where({ workspace_id: id }).update({ uses: 1, max_uses: 1 }),
      'of an owner who was demoted': async ({ id, owner }) => {
        const { user } = await world.member(id, 'owner');
        const change = { workspaceId: id, actorId: user.id, userId: owner.user.id };
        await changeRole(service.db, { ...change, role: 'editor' });
        // Being an owner again does not bring it back.
        await changeRole(service.db, { ...change, role: 'owner' });
      },
      'of an owner who was removed': ({ id, owner }) =>
        service.db('workspace_members').where({ workspace_id: id, user_id: owner.user.id }).delete(),
      'of an owner who is blocked': ({ owner }) =>
        service.db('blocks').insert({ kind: 'account', value: owner.user.id, created_at: new Date() }),
      'of a workspace that is blocked': ({ id }) => blockWorkspace(service.db, id, null, new Date()),
    };
    for (const [name, end] of Object.entries(endings))
      it(`by ${kind} that are ${name} cannot be told from malformed ones, and let nobody in`, async () => {
        const invited = await invite(kind);
        if (name === 'of an owner who was removed') await world.member(invited.id, 'owner');
        await end(invited);
        const csrf = (page: string) => page.replaceAll(/name="csrfToken" value="[^"]+"/g, '');
        const malformed = await stateOf('/invitations/x');
        const { status, text } = await stateOf(invited.path);
        expect([status, csrf(text)]).to.deep.equal([404, csrf(malformed.text)]);
        expect((await stateOf(`${invited.path}/account`)).status).to.equal(404);
        const token = invited.path.replace('/invitations/', '');
        const newcomer = { token, ofPlans: defaultLimits, passwordHash: 'x', language: 'en' } as const;
        expect(await signUpAsInvited(service.db, newcomer, new Date())).to.equal(undefined);
        const person = await world.person(invited.email);
        expect((await acceptAs(person, invited.path)).status).to.equal(404);
        expect(await world.roleIn(invited.id, person)).to.equal(undefined);
      });
  }

  it('by mail create an account with a confirmed address, in the workspace, with one password', async () => {
    const { id, email, path } = await invite('mail', { role: 'viewer' });
    const client = formClient(service.url);
    expect(await (await client.get(path)).text()).to.contain(`${path}/account`);
    await client.get(`${path}/account`);
    expect((await client.post(`${path}/account`, { newPassword: 'short' })).status).to.equal(400);
    expect((await client.post(`${path}/account`, { newPassword: password })).status).to.equal(303);
    const user = await findUserByEmail(service.db, email);
    expect(user.confirmedEmail).to.equal(email);
    expect(await world.roleIn(id, { user, client })).to.equal('viewer');
    expect((await client.get('/account')).status).to.equal(200);
    const again = formClient(service.url);
    await again.get('/signin');
    expect((await again.post('/signin', { email, password })).status).to.equal(303);
  });

  it('by mail let in only the account with this address, once it is confirmed', async () => {
    const { id, email, path } = await invite('mail');
    const other = await world.person();
    expect((await stateOf(path, other)).text)
      .to.contain(`This invitation is for <bdi>${email}</bdi>`)
      .and.not.contain('>Join<');
    expect((await acceptAs(other, path)).status).to.equal(409);
    const switched = await submit(other, `${path}/switch`, {}, path);
    expect(switched.headers.get('Location')).to.equal(`/signin?next=${encodeURIComponent(path)}`);
    expect((await other.client.get('/account')).status).to.equal(303);
    const person = await world.person(email.toUpperCase());
    await service.db('users').where({ id: person.user.id }).update({ confirmed_email: null });
    expect((await stateOf(path, person)).text).to.contain('first confirm that this address is yours');
    expect((await acceptAs(person, path)).status).to.equal(409);
    expect(await world.roleIn(id, person)).to.equal(undefined);
    await service.db('users').where({ id: person.user.id }).update({ confirmed_email: email });
    expect((await acceptAs(person, path)).status).to.equal(303);
  });

  it('by link offer to sign in or to sign up, and both return to them', async () => {
    const { path, email } = await invite('link');
    const { text } = await stateOf(path);
    for (const part of ['header', 'main'] as const)
      for (const page of ['/signin', '/signup'])
        expect(partOf(text, part), part).to.contain(`href="${page}?next=${encodeURIComponent(path)}"`);
    const client = formClient(service.url);
    await client.get(`/signup?next=${encodeURIComponent(path)}`);
    await client.post('/signup', { email, next: path });
    const [mail] = await mails.mailsTo(email);
    const link = pathOf(linkIn(mail as never));
    await client.get(link);
    const created = await client.post(link, { newPassword: password });
    expect(created.headers.get('Location')).to.equal(path);
    expect((await stateOf(`${path}/account`)).status).to.equal(404);
  });

  it('are neither made nor mailed by a workspace that is blocked', async () => {
    const { id, owner } = await world.workspace();
    const [queued, later] = [newAddress(), newAddress()];
    const inviting = { workspaceId: id, createdBy: owner.user.id, role: 'viewer', days: 1 } as const;
    const byMail = (email: string) =>
      inviteByMail(service.db, { ...inviting, ofPlans: defaultLimits, emails: [email] }, new Date());
    const made = await byMail(queued);
    const [invitationId = ''] = 'ids' in made ? made.ids : [];
    const parts = { db: service.db, baseUrl: service.url };
    expect(await draftInvitation(parts, invitationId, new Date())).to.include({ to: queued });
    await blockWorkspace(service.db, id, null, new Date());
    expect(await draftInvitation(parts, invitationId, new Date())).to.equal(undefined);
    expect(await byMail(later)).to.deep.equal({ refused: 'blocked' });
    for (const [path, fields] of [
      ['/members/invitations', { emails: later, role: 'viewer', days: '1' }],
      ['/members/links', { uses: '1', linkRole: 'viewer', linkDays: '1' }],
    ] as const) {
      const refused = await submit(owner, path, fields);
      expect(refused.status).to.equal(403);
      expect(await refused.text()).to.contain('This workspace is blocked');
    }
    expect(await service.db('invitations').where({ workspace_id: id })).to.have.length(1);
  });

  it('of a member say so, and change no role', async () => {
    const { id, owner, path } = await invite('link', { role: 'viewer' });
    expect((await stateOf(path, owner)).text).to.contain('You are already a member of this workspace');
    expect((await acceptAs(owner, path)).status).to.equal(409);
    expect(await world.roleIn(id, owner)).to.equal('owner');
  });

  it('welcome those who join, and say to them later that they have joined', async () => {
    const { id, path } = await invite('link', { role: 'viewer' });
    await service.db('workspaces').where({ id }).update({ name: 'Kestrel & Co' });
    const { slug } = (await service.db('workspaces').where({ id }).first('slug')) as { slug: string };
    const joining = await world.person();
    const joined = await acceptAs(joining, path);
    expect(joined.headers.get('Location')).to.equal(`/w/${slug}/codes`);
    const welcome = await (await joining.client.get(`/w/${slug}/codes`)).text();
    expect(welcome).to.contain('You joined Kestrel &amp; Co as a viewer.');
    const again = await stateOf(path, joining);
    expect(again.status).to.equal(200);
    expect(again.text).to.contain('You have already joined').and.contain(`href="/w/${slug}/codes"`);
    // To everybody else it is any link that does not work.
    const other = await stateOf(path, await world.person());
    expect(other.status).to.equal(404);
    expect(other.text).not.to.contain('Kestrel');
    await service.db('workspace_members').where({ workspace_id: id, user_id: joining.user.id }).delete();
    expect((await stateOf(path, joining)).status).to.equal(404);
  });

  it('are not sent to members, whose roles they would not change', async () => {
    const { id, owner } = await world.workspace();
    const { user } = await world.member(id, 'viewer');
    const fields = { role: 'editor', days: '7' };
    for (const email of [owner.user.email, user.email.toUpperCase()]) {
      const emails = `${newAddress()}, ${email}`;
      const refused = await submit(owner, '/members/invitations', { emails, ...fields });
      expect(refused.status).to.equal(400);
      expect(await refused.text()).to.match(
        new RegExp(`Already a member: ${email} \\((?:owner|viewer)\\)`, 'i'),
      );
    }
    expect(await service.db('invitations').where({ workspace_id: id })).to.deep.equal([]);
  });

  it('by link have a note of the owner, which tells them apart and which nobody else sees', async () => {
    const { id, owner } = await world.workspace();
    const link = { linkRole: 'viewer', linkDays: '7' };
    await submit(owner, '/members/links', { ...link, uses: '5', note: ' Print <shop> ' });
    const made = await (await owner.client.get('/members/links/created')).text();
    await submit(owner, '/members/links', { ...link, uses: '1', note: '' });
    const page = await (await owner.client.get('/members')).text();
    expect(page)
      .to.contain('<bdi>Print &lt;shop></bdi>')
      .and.contain('For up to 5 people. Nobody has used it');
    expect(page).to.contain('For one person.');
    const path = /\/invitations\/[\w-]{43}/.exec(made)?.[0] ?? '';
    expect((await stateOf(path)).text).not.to.contain('shop');
    for (const note of ['x'.repeat(101), 'a\u202Eb'])
      expect((await submit(owner, '/members/links', { ...link, uses: '1', note })).status).to.equal(400);
    expect(await service.db('invitations').where({ workspace_id: id })).to.have.length(2);
  });

  it('are used as often as they say when many people accept at the same time', async () => {
    const { id, owner } = await world.workspace();
    const tokenHash = digestOf(newToken());
    const inviting = { workspaceId: id, createdBy: owner.user.id, role: 'viewer', days: 1 } as const;
    const ofPlans = defaultLimits;
    await inviteByLink(service.db, { ...inviting, tokenHash, maxUses: 3, ofPlans }, new Date());
    const persons = await Promise.all(Array.from({ length: 8 }, () => world.person()));
    const outcomes = await Promise.all(
      persons.map(({ user: { id: userId, email } }) =>
        acceptInvitation(
          service.db,
          { tokenHash, invitee: { id: userId, email, isConfirmed: true }, ofPlans },
          new Date(),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => 'joined' in outcome)).to.have.length(3);
    expect(await service.db('workspace_members').where({ workspace_id: id })).to.have.length(4);
  });

  it('stay within the limits of the workspace, also in parallel', async () => {
    const { id, owner } = await world.workspace();
    const inviting = { workspaceId: id, createdBy: owner.user.id, role: 'viewer', days: 1 } as const;
    const ofPlans = {
      ...defaultLimits,
      free: { ...defaultLimits.free, members: 6, invitations: 4, invitationMailsPerDay: 5 },
    };
    const now = new Date();
    const byMail = (emails: string[], at = now) =>
      inviteByMail(service.db, { ...inviting, ofPlans, emails }, at);
    const many = await Promise.all(Array.from({ length: 6 }, () => byMail([newAddress()])));
    expect(many.filter((made) => 'ids' in made)).to.have.length(4);
    expect(many.find((made) => 'refused' in made)).to.deep.equal({ refused: 'invitations', limit: 4 });
    await service.db('invitations').where({ workspace_id: id }).update({ revoked_at: now });
    expect(await byMail([newAddress()])).to.have.property('ids');
    expect(await byMail([newAddress()])).to.deep.equal({ refused: 'invitationMailsPerDay', limit: 5 });
    const nextDay = new Date(now.getTime() + dayMs);
    const five = Array.from({ length: 6 }, newAddress);
    expect(await byMail(five, nextDay)).to.deep.equal({ refused: 'members', limit: 6 });
    for (let number = 0; number < 5; number += 1) await world.member(id, 'viewer');
    const tokenHash = digestOf(newToken());
    const full = { refused: 'members', limit: 6 };
    expect(
      await inviteByLink(service.db, { ...inviting, ofPlans, tokenHash, maxUses: 1 }, nextDay),
    ).to.deep.equal(full);
    const editor = await world.member(id, 'editor');
    expect(
      await inviteByMail(
        service.db,
        { ...inviting, createdBy: editor.user.id, ofPlans, emails: ['a@b.c'] },
        now,
      ),
    ).to.deep.equal({ refused: 'not-owner' });
    await purgeInvitations(service.db, new Date(now.getTime() + 2 * dayMs));
    expect(await service.db('invitations').where({ workspace_id: id })).to.deep.equal([]);
  });

  it('by mail stay within the limit of who invites, in all their workspaces and after these are deleted', async () => {
    const { user } = await world.person();
    const ofPlans = { ...defaultLimits, free: { ...defaultLimits.free, invitationMailsPerDay: 3 } };
    const now = new Date();
    const foundAndInvite = async (count: number, at = now) => {
      const { id } = await foundWorkspace(service.db, { userId: user.id, name: 'Team', now: at }, ofPlans);
      const inviting = { workspaceId: id, createdBy: user.id, role: 'viewer', days: 1, ofPlans } as const;
      const emails = Array.from({ length: count }, newAddress);
      const made = await inviteByMail(service.db, { ...inviting, emails }, at);
      await deleteWorkspace(service.db, id);
      return made;
    };
    const refused = { refused: 'ownMailsPerDay', limit: 3 };
    expect(await foundAndInvite(2)).to.have.property('ids');
    expect(await foundAndInvite(2)).to.deep.equal(refused);
    expect(await foundAndInvite(1)).to.have.property('ids');
    expect(await foundAndInvite(1)).to.deep.equal(refused);
    const nextDay = new Date(now.getTime() + dayMs + 1);
    expect(await foundAndInvite(3, nextDay)).to.have.property('ids');
    await purgeInvitations(service.db, new Date(nextDay.getTime() + dayMs));
    expect(await service.db('invitation_mails').where({ inviter_id: user.id })).to.deep.equal([]);
  });

  it('and changes of roles make nobody an owner of more workspaces than they may own', async () => {
    const taker = await world.person();
    const take = async (
      how: (shared: { id: WorkspaceId; owner: Person }) => Promise<unknown>,
    ): Promise<Role | undefined> => {
      const shared = await world.workspace();
      await how(shared);
      return world.roleIn(shared.id, taker);
    };
    const invitedAsOwner = () =>
      take(async ({ owner }) => {
        await submit(owner, '/members/links', { uses: '1', linkRole: 'owner', linkDays: '1' });
        const page = await (await owner.client.get('/members/links/created')).text();
        const [path = ''] = /\/invitations\/[\w-]{43}/.exec(page) ?? [];
        await acceptAs(taker, path);
      });
    const asMember = (
      change: (given: { workspaceId: WorkspaceId; actorId: string; userId: string }) => Promise<unknown>,
    ) =>
      take(async ({ id, owner }) => {
        const member = { workspace_id: id, user_id: taker.user.id, role: 'editor', joined_at: new Date() };
        await service.db('workspace_members').insert(member);
        await change({ workspaceId: id, actorId: owner.user.id, userId: taker.user.id });
      });
    const promoted = () => asMember((change) => changeRole(service.db, { ...change, role: 'owner' }));
    const handedOver = () => asMember((change) => handOver(service.db, change));
    expect(await invitedAsOwner()).to.equal('owner');
    expect(await promoted()).to.equal('owner');
    // They own three: as many as they may.
    expect(await invitedAsOwner()).to.equal(undefined);
    expect(await promoted()).to.equal('editor');
    expect(await handedOver()).to.equal('editor');
    await deleteWorkspace(service.db, ownWorkspaceId(taker.user));
    expect(await handedOver()).to.equal('owner');
  });

  it('to several addresses at once name each that is wrong and invite nobody then; a second mail replaces the first', async () => {
    const { id, owner } = await world.workspace();
    const send = (emails: string) =>
      submit(owner, '/members/invitations', { emails, role: 'viewer', days: '1' });
    const refused = await send('fine@example.org, wrong@, also wrong');
    expect(refused.status).to.equal(400);
    expect(await refused.text()).to.contain('“wrong@”, “also”, “wrong” are not addresses');
    for (const [field, value] of [
      ['role', 'admin'],
      ['days', '365'],
      ['emails', ' '],
      ['emails', 'a@example.org '.repeat(10) + 'x'.repeat(20_000)],
    ] as const)
      expect(
        (
          await submit(owner, '/members/invitations', {
            emails: 'a@b.c',
            role: 'viewer',
            days: '1',
            [field]: value,
          })
        ).status,
      ).to.equal(400);
    for (const uses of ['0', '101', '-1', '1.5', 'x', ''])
      expect(
        (await submit(owner, '/members/links', { uses, linkRole: 'viewer', linkDays: '1' })).status,
      ).to.equal(400);
    expect(await service.db('invitations').where({ workspace_id: id })).to.deep.equal([]);
    const [one, two] = [newAddress(), newAddress()];
    expect((await send(`${one}\n${two};${one.toUpperCase()}`)).status).to.equal(303);
    const [first] = await mails.mailsTo(two);
    await send(two);
    const second = (await mails.mailsTo(two, 2))[1];
    expect((await stateOf(pathOf(linkIn(first as never)))).status).to.equal(404);
    expect((await stateOf(pathOf(linkIn(second as never)))).status).to.equal(200);
  });

  it('need a confirmed address of the owner to be mailed, and pages do not offer it otherwise', async () => {
    const { owner } = await world.workspace();
    await service.db('users').where({ id: owner.user.id }).update({ confirmed_email: null });
    expect(await (await owner.client.get('/members')).text()).not.to.contain('action="/members/invitations"');
    const fields = { emails: newAddress(), role: 'viewer', days: '1' };
    expect((await submit(owner, '/members/invitations', fields)).status).to.equal(400);
  });
});

describe('Invitations where sign-up is closed', () => {
  it('by mail still create an account, because an owner vouches for the address; links do not', async () => {
    const mails = await startMailServer();
    const service = await startService({ config: { mail: mails.config, signUps: 'closed' }, worker: true });
    try {
      const { owner } = await people(service).workspace();
      const email = 'new@example.org';
      await submit(owner, '/members/invitations', { emails: email, role: 'viewer', days: '1' });
      const [mail] = await mails.mailsTo(email);
      const path = pathOf(linkIn(mail as never));
      const client = formClient(service.url);
      await client.get(`${path}/account`);
      expect((await client.post(`${path}/account`, { newPassword: password })).status).to.equal(303);
      await submit(owner, '/members/links', { uses: '1', linkRole: 'viewer', linkDays: '1' });
      const page = await (await owner.client.get('/members/links/created')).text();
      const link = /\/invitations\/[\w-]{43}/.exec(page)?.[0] ?? '';
      const preview = await (await formClient(service.url).get(link)).text();
      expect(preview).to.contain('Sign in to join').and.not.contain('/signup');
      expect((await formClient(service.url).get(`${link}/account`)).status).to.equal(404);
    } finally {
      await service.stop();
      await mails.stop();
    }
  });
});
