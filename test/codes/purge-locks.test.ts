import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { createCode } from '../../src/codes/codes.ts';
import { lockOwner, newLogo, saveLogo } from '../../src/codes/design/stored-logo.ts';
import { findFile, saveFile } from '../../src/codes/files/stored-file.ts';
import { maxLogos } from '../../src/codes/files/upload.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { savePageLogo } from '../../src/codes/share-page.ts';
import { deleteTrashedCode, deleteTrashedCodes, trashCode } from '../../src/codes/trash.ts';
import { defaultLimits } from '../../src/limits.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { ownWorkspaceId, type WorkspaceId } from '../../src/workspaces/workspace.ts';
import { lockWaiters } from '../support/row-lock.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

describe('What makes room in the trash, while the trash is emptied', () => {
  let database: TestDatabase;
  let db: Database;
  let workspaceId: WorkspaceId;
  let users = 0;
  const now = new Date();
  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 4, applicationName: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    const email = `owner-${(users += 1)}@example.com`;
    workspaceId = ownWorkspaceId(await findOrCreateUser(db, email, now));
  });

  const create = () =>
    createCode(
      db,
      workspaceId,
      { ...createDefaults, name: 'Menu', content: 'https://example.com' },
      { lifetimeDays: 365, limits: defaultLimits, now },
    );
  const upload = (code: QrCode) =>
    saveFile(
      db,
      code,
      { kind: 'file', name: 'Menu.pdf', mediaType: 'application/pdf', data: Buffer.from('ten bytes!') },
      { quotaBytes: 15, content: `https://qr.test/f/${code.shareToken}/Menu.pdf`, now },
    );
  const logo = () => newLogo(workspaceId, randomBytes(16));
  const addLogo = () =>
    db.transaction(async (transaction) => {
      await lockOwner(transaction, workspaceId);
      await saveLogo(transaction, workspaceId, logo(), now);
    });

  async function trashWithLogo(): Promise<QrCode> {
    const code = await create();
    await savePageLogo(db, code, { newLogo: logo(), alt: 'Logo' }, now);
    return code;
  }

  /**
   * Starts the deletion, which waits for `held` in its middle, and then what makes room, which must not wait for it in turn: the
   * deletion would go on to wait for what that has locked.
   */
  async function interleave(
    held: { table: string; where: Record<string, string> },
    deletion: () => Promise<unknown>,
    makeRoom: () => Promise<unknown>,
  ): Promise<void> {
    const holder = await db.transaction();
    await holder(held.table).where(held.where).forUpdate().select();
    const deleting = deletion();
    await lockWaiters(db, 1);
    const making = makeRoom();
    await Promise.race([making, lockWaiters(db, 2)]);
    await holder.commit();
    await Promise.all([deleting, making]);
  }

  it('skips the file of a code that is being deleted', async () => {
    const code = await trashWithLogo();
    await upload(code);
    await trashCode(db, workspaceId, code.id, defaultLimits);
    const other = await create();
    await interleave(
      { table: 'logos', where: { user_id: workspaceId } },
      () => deleteTrashedCode(db, workspaceId, code.id),
      () => upload(other),
    );
    expect(await findFile(db, other.id, 'file')).to.include({ bytes: 10 });
    expect(await db('qr_codes').where({ id: code.id })).to.deep.equal([]);
  });

  it('deletes the file of another code in the trash', async () => {
    const code = await create();
    await upload(code);
    await trashCode(db, workspaceId, code.id, defaultLimits);
    await upload(await create());
    expect(await findFile(db, code.id, 'file')).to.equal(undefined);
  });

  it('skips the logos of codes that are being deleted, and takes them otherwise', async () => {
    const codes = [await trashWithLogo(), await trashWithLogo()];
    for (const { id } of codes) await trashCode(db, workspaceId, id, defaultLimits);
    for (let count = 2; count < maxLogos; count += 1) await addLogo();
    const [first, second] = codes.map(({ id }) => id).toSorted() as [string, string];
    await interleave(
      { table: 'trashed_codes', where: { code_id: first } },
      () => deleteTrashedCodes(db, workspaceId, [first]),
      () => addLogo().catch((error: unknown) => expect(error).to.have.property('code', 'validation_error')),
    );
    expect(await db('qr_codes').where({ id: first })).to.deep.equal([]);
    await addLogo();
    expect(await db('page_logos').where({ code_id: second })).to.have.length(1);
    await addLogo();
    expect(await db('page_logos').where({ code_id: second })).to.deep.equal([]);
  });
});
