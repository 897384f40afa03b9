import { expect } from 'chai';
import type { Knex } from 'knex';
import * as invitations from '../../migrations/0067-invitations.ts';
import * as workspaces from '../../migrations/0069-workspaces-of-their-own.ts';
import * as changes from '../../migrations/0071-changes.ts';
import * as keptParts from '../../migrations/0072-kept-parts.ts';
import * as invitationHistory from '../../migrations/0073-history-of-invitations.ts';
import { deleteWorkspace } from '../../src/accounts/deletion.ts';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser, type User } from '../../src/accounts/users.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { changeCode, createCode } from '../../src/codes/codes.ts';
import { newLogo } from '../../src/codes/design/stored-logo.ts';
import { findFile, saveFile } from '../../src/codes/files/stored-file.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { findPageLogo, savePageLogo } from '../../src/codes/share-page.ts';
import { versionsOf } from '../../src/history/changes.ts';
import { defaultLimits } from '../../src/limits.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { foundWorkspace } from '../../src/workspaces/founding.ts';
import { inviteByMail } from '../../src/workspaces/invitations.ts';
import { addMember } from '../../src/workspaces/members.ts';
import { isReservedSlug } from '../../src/workspaces/slug.ts';
import { ownWorkspaceId, type WorkspaceId } from '../../src/workspaces/workspace.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const steps = [invitations, workspaces, changes, keptParts, invitationHistory];

describe('The migrations of workspaces and their history, with data', () => {
  let database: TestDatabase;
  let db: Database;
  let owner: User;
  let workspaceId: WorkspaceId;
  const now = new Date();
  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
    owner = await findOrCreateUser(db, 'owner@example.com', now);
    workspaceId = ownWorkspaceId(owner);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const create = () =>
    createCode(
      db,
      workspaceId,
      { ...createDefaults, name: 'Menu', content: 'https://example.com' },
      { lifetimeDays: 365, limits: defaultLimits, now },
    );
  const upload = (code: QrCode, text: string) =>
    saveFile(
      db,
      code,
      { kind: 'file', name: `${text}.pdf`, mediaType: 'application/pdf', data: Buffer.from(text) },
      { quotaBytes: 1_000, content: `https://qr.test/f/${code.shareToken}/${text}.pdf`, now },
    );
  const addPageLogo = (code: QrCode, picture: string) =>
    savePageLogo(db, code, { newLogo: newLogo(workspaceId, Buffer.from(picture)), alt: picture }, now);
  const run = (work: (knex: Knex) => Promise<void>) => db.transaction((transaction) => work(transaction));
  const versions = async (code: QrCode) =>
    (await versionsOf(db, code, { limit: 10 })).map(({ version }) => version);
  const numberOf = async (table: string) => (await db(table).select(db.raw('1'))).length;

  it('refuse to go back while there is a founded workspace, before the history is gone', async () => {
    const { id } = await foundWorkspace(db, { userId: owner.id, name: 'Founded', now }, defaultLimits);
    const entries = await numberOf('changes');
    expect(entries).to.be.above(0);
    for (const { down } of [invitationHistory, changes]) {
      const refused = await run(down).catch((error: unknown) => error);
      expect(String(refused)).to.contain('1 workspaces that are not the first one of an account');
    }
    expect(await numberOf('changes')).to.equal(entries);
    await deleteWorkspace(db, id);
  });

  it('go back and forward, and keep what the previous release knows', async () => {
    const code = await create();
    for (const text of ['first', 'second']) {
      await upload(code, text);
      await addPageLogo(code, text);
    }
    const member = await findOrCreateUser(db, 'member@example.com', now);
    await db.transaction((transaction) =>
      addMember(transaction, { workspaceId, userId: member.id, role: 'owner' }, now),
    );
    const inviting = { workspaceId, createdBy: owner.id, role: 'viewer', days: 1 } as const;
    await inviteByMail(db, { ...inviting, ofPlans: defaultLimits, emails: ['new@example.com'] }, now);
    await createApiKey(db, workspaceId, 'Key', now, undefined, { id: member.id, email: member.email });
    await db('blocks').insert({ kind: 'workspace', value: workspaceId, created_at: now });
    for (const table of ['changes', 'removed_files', 'replaced_logos', 'invitations'])
      expect(await numberOf(table), table).to.be.above(0);
    const bytes = await findFile(db, code.id, 'file');
    const logo = await findPageLogo(db, code.id);

    for (const { down } of steps.toReversed()) await run(down);
    expect(await numberOf('removed_files')).to.equal(0);
    expect(await db('deleted_files').pluck('id')).to.have.length(1);
    expect(await db('logos').pluck('id')).to.deep.equal([logo?.logo]);
    expect(await db('blocks').select('kind', 'value')).to.deep.equal([{ kind: 'account', value: owner.id }]);
    expect(await db('api_keys').pluck('name')).to.deep.equal(['Key']);
    // As the previous release does, with its triggers.
    await changeCode(db, workspaceId, code.id, async () => ({ name: 'Renamed before' }), now);
    await upload(code, 'third');
    expect(await db('deleted_files').pluck('id'))
      .to.have.length(2)
      .and.to.include(bytes?.id);
    await db('blocks').delete();

    for (const { up } of steps) await run(up);
    expect(await versions(code)).to.deep.equal([]);
    await changeCode(db, workspaceId, code.id, async () => ({ name: 'Renamed after' }), now);
    expect(await versions(code)).to.deep.equal([1]);
    expect(await findPageLogo(db, code.id)).to.deep.equal(logo);
    expect(await findFile(db, code.id, 'file')).to.include({ name: 'third.pdf' });
    await inviteByMail(db, { ...inviting, ofPlans: defaultLimits, emails: ['new@example.com'] }, now);
    expect(await numberOf('invitations')).to.equal(1);
  });

  it('give no account a reserved slug', async () => {
    for (const name of ['admin', 'api', 'support', 'www', 'anna']) {
      const { id } = await findOrCreateUser(db, `${name}@example.com`, now);
      const { slug } = (await db('workspaces').where({ id }).first('slug')) as { slug: string };
      expect(slug.startsWith(name), slug).to.equal(true);
      expect(isReservedSlug(slug), slug).to.equal(false);
    }
  });
});
