import { expect } from 'chai';
import { findOrCreateUser, type User } from '../../src/accounts/users.ts';
import { deleteUser } from '../../src/accounts/deletion.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { changeCode, type CodeChanges, createCode, updateCode } from '../../src/codes/codes.ts';
import { defaultDesign } from '../../src/codes/design/design.ts';
import { deleteDesign, saveDesign } from '../../src/codes/design/stored-design.ts';
import { findFile, purgeFiles, readWholeFile, saveFile } from '../../src/codes/files/stored-file.ts';
import { newLogo } from '../../src/codes/design/stored-logo.ts';
import { savePageLogo } from '../../src/codes/share-page.ts';
import { endColumns, renewCodes } from '../../src/codes/lifetime.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { deleteTrashedCode, restoreCode, trashCode } from '../../src/codes/trash.ts';
import { loadConfig } from '../../src/config.ts';
import { AppError } from '../../src/errors.ts';
import { eraseDeletedCodes } from '../../src/history/erase-deleted-codes.ts';
import { listChanges, type Version, versionsOf } from '../../src/history/changes.ts';
import { changedFields, latestVersion, readState } from '../../src/history/code-state.ts';
import { putBack, PutBackConflict, type PutBackRequest } from '../../src/history/put-back.ts';
import { defaultLimits } from '../../src/limits.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { runAs } from '../../src/store/actor.ts';
import type { Database } from '../../src/store/database.ts';
import { ownWorkspaceId, type WorkspaceId } from '../../src/workspaces/workspace.ts';
import { startService, type TestService } from '../support/service.ts';
import { quickImages } from '../support/shared-threads.ts';

const config = loadConfig({ BASE_URL: 'https://qr.example.com' });
const limits = defaultLimits;

describe('The history of a code', () => {
  let service: TestService;
  let db: Database;
  let user: User;
  let workspaceId: WorkspaceId;
  let users = 0;

  before(async () => {
    service = await startService();
    ({ db } = service);
  });
  after(() => service.stop());
  beforeEach(async () => {
    user = await findOrCreateUser(db, `history-${(users += 1)}@example.com`, new Date());
    workspaceId = ownWorkspaceId(user);
  });

  const create = (): Promise<QrCode> =>
    createCode(
      db,
      workspaceId,
      { ...createDefaults, name: 'Menu', content: 'https://example.com/1' },
      { lifetimeDays: 365, limits, now: new Date() },
    );
  const edit = (code: QrCode, changes: CodeChanges): Promise<QrCode> =>
    changeCode(db, workspaceId, code.id, async () => changes, new Date());
  const versions = async (code: QrCode) => (await versionsOf(db, code, { limit: 100 })).toReversed();
  const restore = (code: QrCode, request: PutBackRequest) =>
    putBack({ db, proofs: quickImages.proofs, config }, { key: workspaceId }, code, {
      ...request,
      now: new Date(),
    });
  const design = { ...defaultDesign, moduleShape: 'dots' as const };
  const provenFor = ({ foregroundColor, backgroundColor, errorCorrection }: QrCode) => ({
    design,
    readsAtMm: 15,
    proven: 'proof',
    look: { foregroundColor, backgroundColor, errorCorrection },
    errorCorrection: 'Q' as const,
  });

  it('has one version for each transaction, with what it changed of the code and its parts', async () => {
    const code = await create();
    await edit(code, { content: 'https://example.com/2', category: 'Tables' });
    await saveDesign(db, code, provenFor(code), new Date());
    await edit(code, { category: 'Tables' });
    await db.transaction(async (transaction) => {
      await updateCode(transaction, code, { name: 'Other' }, new Date());
      await updateCode(transaction, code, { name: 'Menu' }, new Date());
    });
    await deleteDesign(db, code, new Date());
    const found = await versions(code);
    expect(found.map(({ version, action }) => [version, action])).to.deep.equal([
      [1, 'created'],
      [2, 'changed'],
      [3, 'changed'],
      [4, 'changed'],
    ]);
    const [first, second, third, fourth] = found;
    expect(first?.before).to.equal(null);
    expect(first?.after).to.include({ name: 'Menu', content: 'https://example.com/1', isPublic: true });
    expect(first?.after).not.to.have.any.keys('shareToken', 'hosts', 'workspaceId', 'expiresAt');
    expect(second?.before).to.deep.equal({ content: 'https://example.com/1', category: null });
    expect(second?.after).to.deep.equal({ content: 'https://example.com/2', category: 'Tables' });
    expect(third?.before).to.deep.equal({ design: null, errorCorrection: 'M' });
    expect(third?.after).to.deep.equal({ design, errorCorrection: 'Q' });
    expect(fourth?.after).to.deep.equal({ design: null });
  });

  it('names who made a change, and nobody where nobody is known', async () => {
    const code = await create();
    const actor = { kind: 'key' as const, id: user.id, name: `What's \\ "this"?`, requestId: 'request-1' };
    await runAs(actor, () => edit(code, { name: 'By a key' }));
    await edit(code, { name: 'By a job' });
    const found = await versions(code);
    expect(
      found.map(({ actorKind, actorId, actorName, requestId }) => [actorKind, actorId, actorName, requestId]),
    ).to.deep.equal([
      ['service', null, null, null],
      ['key', user.id, actor.name, 'request-1'],
      ['service', null, null, null],
    ]);
  });

  it('does not record that scans renew a code, and records the end that its owner chooses', async () => {
    const code = await create();
    const scannedAt = new Date(code.expiresAt.getTime() - dayMs);
    await renewCodes(db, new Map([[code.id, scannedAt]]), 365);
    expect(await versions(code)).to.have.length(1);
    const chosen = new Date(Date.now() + 5 * dayMs);
    await edit(code, endColumns(chosen, 365, new Date()));
    const renewed = await restore(code, { version: 1 });
    expect(renewed.code.expiresAt.getTime()).to.equal(renewed.code.defaultExpiresAt?.getTime());
    const found = await versions(code);
    expect(found.slice(1).map(({ before, after }) => [before, after])).to.deep.equal([
      [{ expiresAt: null }, { expiresAt: chosen.toISOString() }],
      [{ expiresAt: chosen.toISOString() }, { expiresAt: null }],
    ]);
  });

  it('of a code that is deleted for good is hidden at once, and erased in steps where it is long', async () => {
    const code = await create();
    await db.raw(
      `INSERT INTO changes (workspace_id, kind, action, subject_id, subject_name, code_id, version, before, after)
       SELECT :workspaceId, 'code', 'changed', :id, 'Menu', :id, version, '{"name": "Secret"}', '{"name": "Menu"}'
       FROM generate_series(2, 2500) AS version`,
      { workspaceId, id: code.id },
    );
    await trashCode(db, workspaceId, code.id, limits);
    await deleteTrashedCode(db, workspaceId, code.id);
    const stored = async () =>
      Number((await db('changes').where({ code_id: code.id }).whereNotNull('after').count())[0]?.['count']);
    expect(await stored()).to.equal(1_501);
    const shown = await listChanges(db, workspaceId, { codeId: code.id }, { limit: 5_000 });
    expect(shown).to.have.length(2_502);
    for (const { before, after, subjectName } of shown)
      expect([before, after, subjectName]).to.deep.equal([null, null, null]);
    await eraseDeletedCodes(db, () => true);
    expect(await stored()).to.equal(1_501);
    await eraseDeletedCodes(db, () => false);
    expect(await stored()).to.equal(0);
    expect(await db('histories_to_erase')).to.deep.equal([]);
  });

  it('puts back no address on a blocked host, also not one with the path of the file of the code', async () => {
    const code = await create();
    const content = `https://late-block.test/f/${code.shareToken}/Menu.pdf`;
    await edit(code, { content });
    await edit(code, { content: 'https://example.com/3' });
    await db('blocks').insert({ kind: 'host', value: 'late-block.test', created_at: new Date() });
    const error = await restore(code, { version: 2 }).catch((refusal: unknown) => refusal);
    expect(error).to.be.instanceOf(AppError);
    expect((error as AppError).details?.map(({ field }) => field)).to.deep.equal(['content']);
  });

  it('puts a version back as a change like any other, and changes nothing where there is nothing to do', async () => {
    const code = await create();
    const before = await readState(db, code);
    await edit(code, { content: 'WIFI:S:Guests;;', type: 'wifi', pageTitle: 'Welcome' });
    const { code: restored, restored: fields } = await restore(code, { version: 1 });
    expect(fields.map(({ field }) => field)).to.deep.equal(['type', 'content', 'pageTitle']);
    expect(await readState(db, restored)).to.deep.equal(before);
    expect((await restore(code, { version: 1, overwrite: true })).restored).to.deep.equal([]);
    expect(await versions(code)).to.have.length(3);
    expect(await latestVersion(db, code)).to.equal(3);
    const again = await restore(code, { version: 2 });
    expect(again.code).to.include({ type: 'wifi', pageTitle: 'Welcome' });
  });

  it('puts a design back with its error correction, and takes it away again', async () => {
    const code = await create();
    await saveDesign(db, code, provenFor(code), new Date());
    await restore(code, { version: 1 });
    const plain = await restore(code, { version: 3 });
    expect(plain.restored).to.deep.equal([]);
    const { code: designed } = await restore(code, { version: 2 });
    expect((await readState(db, designed)).design).to.deep.equal(design);
    expect(designed.errorCorrection).to.equal('Q');
  });

  it('puts back a file and a page logo that were replaced, with their bytes', async () => {
    const code = await create();
    const upload = (text: string) =>
      saveFile(
        db,
        code,
        { kind: 'file', name: 'Menu.pdf', mediaType: 'application/pdf', data: Buffer.from(text) },
        {
          quotaBytes: 1_000,
          content: `https://qr.example.com/f/${code.shareToken}/Menu.pdf`,
          now: new Date(),
        },
      );
    const logoOf = (text: string) => newLogo(workspaceId, Buffer.from(text));
    const first = await upload('first');
    await savePageLogo(db, code, { newLogo: logoOf('first'), alt: 'First' }, new Date());
    await upload('second');
    await savePageLogo(db, code, { newLogo: logoOf('second'), alt: 'Second' }, new Date());
    await edit(code, { type: 'url', content: 'https://example.com/elsewhere' });
    expect((await readState(db, code)).file).to.equal(null);
    const { code: restored } = await restore(code, { version: 3, overwrite: true });
    expect((await readState(db, restored)).pageLogo).to.deep.equal({
      logo: logoOf('first').id,
      alt: 'First',
    });
    expect((await findFile(db, code.id, 'file'))?.id).to.equal(first.id);
    await purgeFiles(db, () => false);
    expect((await readWholeFile(db, code.id))?.chunks.join('')).to.equal('first');
    expect(restored.content).to.include(`/f/${code.shareToken}/`);
  });

  it('asks before it takes back what was changed again since, and takes back single fields', async () => {
    const code = await create();
    await edit(code, { content: 'https://example.com/2', name: 'Second' });
    await edit(code, { content: 'https://example.com/3', category: 'Tables' });
    const conflict = await restore(code, { version: 1 }).catch((error: unknown) => error);
    expect(conflict).to.be.instanceOf(PutBackConflict);
    const { conflicts, status, details } = conflict as PutBackConflict;
    expect(status).to.equal(409);
    expect(details?.map(({ field }) => field)).to.deep.equal(['content', 'category']);
    expect(conflicts[0]).to.deep.equal({
      field: 'content',
      now: 'https://example.com/3',
      // Of version 1, not of the last change.
      former: 'https://example.com/1',
      changedIn: 3,
    });
    const [, second] = await versions(code);
    const undone = changedFields(second as Version).filter((field) => field !== 'content');
    const { code: named } = await restore(code, { version: 1, fields: undone });
    expect(named).to.include({ name: 'Menu', content: 'https://example.com/3', category: 'Tables' });
    const { code: all } = await restore(code, { version: 1, overwrite: true });
    expect(all).to.include({ name: 'Menu', content: 'https://example.com/1', category: null });
  });

  it('restores what was before the oldest entry, and no version that there is not', async () => {
    const code = await create();
    await edit(code, { name: 'Second' });
    const refused = async (version: number) => {
      const error = await restore(code, { version }).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(AppError).and.to.include({ status: 404 });
    };
    await refused(0);
    await refused(3);
    // As in a database that is older than the history.
    await db('changes').where({ code_id: code.id, version: 1 }).delete();
    await db('changes').where({ code_id: code.id }).update({ version: 1 });
    expect((await restore(code, { version: 0 })).code.name).to.equal('Menu');
  });

  it('refuses to restore what an edit would refuse', async () => {
    const code = await create();
    await edit(code, { content: 'https://example.com/2' });
    await db('blocks').insert({ kind: 'host', value: 'example.com', reason: 'test', created_at: new Date() });
    try {
      const error = await restore(code, { version: 1 }).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(AppError).and.to.include({ status: 400 });
    } finally {
      await db('blocks').where({ value: 'example.com' }).delete();
    }
  });

  it('goes on in the trash, and keeps only that the code was deleted when it is', async () => {
    const code = await create();
    await edit(code, { name: 'Secret plan' });
    await trashCode(db, workspaceId, code.id, limits);
    await restoreCode(db, workspaceId, code.id, limits);
    await trashCode(db, workspaceId, code.id, limits);
    await deleteTrashedCode(db, workspaceId, code.id);
    const found = await listChanges(db, workspaceId, { codeId: code.id }, { limit: 20 });
    expect(found.map(({ action }) => action).toSorted()).to.deep.equal(
      ['created', 'changed', 'trashed', 'restored', 'trashed', 'deleted'].toSorted(),
    );
    for (const { before, after, subjectName } of found)
      expect([before, after, subjectName]).to.deep.equal([null, null, null]);
    await deleteUser(db, user);
    expect(await db('changes').where({ workspace_id: workspaceId })).to.deep.equal([]);
  });
});
