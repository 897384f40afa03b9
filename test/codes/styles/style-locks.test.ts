import { expect } from 'chai';
import { User } from '../../../src/accounts/users.ts';
import { deleteUser } from '../../../src/accounts/deletion.ts';
import { defaultLimits } from '../../../src/limits.ts';
import { QrCode } from '../../../src/codes/qr-code.ts';
import { normalizeDesign } from '../../../src/codes/design/design.ts';
import { findDesign, saveDesign } from '../../../src/codes/design/stored-design.ts';
import { newLogo } from '../../../src/codes/design/stored-logo.ts';
import type { Proofs } from '../../../src/codes/proof/proofs.ts';
import { addApplication } from '../../../src/codes/styles/style-applications.ts';
import { changeStyle, findStyles, insertStyle, removeStyle } from '../../../src/codes/styles/styles.ts';
import { AppError } from '../../../src/errors.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { createFileCode } from '../../../src/web/codes/file/file-routes.ts';
import { createStyleHandler } from '../../../workers/style-handler.ts';
import { eventually } from '../../support/eventually.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { type TestService, startService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';
import { pdf } from '../files/pdf-file.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

const readableProofs: Proofs = {
  prove: async () => ({ readsAtMm: 15, remedy: null, undrawable: null }),
  close: async () => undefined,
};

describe('Locks of styles and logos', () => {
  let service: TestService;
  let observer: Database;
  before(async () => {
    service = await startService();
    observer = openDatabase(service.databaseUrl, { poolMax: 2, applicationName: 'observer' });
  });
  after(async () => {
    await observer.destroy();
    await service.stop();
  });

  /** An owner with two codes, and a style with a logo. */
  async function ownerWithStyle() {
    const api = ownerClient(service);
    const codes = [(await createCode(api)).id, (await createCode(api)).id];
    const { user_id: ownerId } = (await service.db('qr_codes').where({ id: codes[0] }).first()) as {
      user_id: string;
    };
    const logo = newLogo(ownerId as WorkspaceId, Buffer.from('logo'));
    const input = { name: 'Ours', design: normalizeDesign({ logo: logo.id }), isDefault: false };
    const style = await insertStyle(
      service.db,
      ownerId as WorkspaceId,
      { ...input, newLogo: logo },
      new Date(),
    );
    return { ownerId, codes, logo, style };
  }

  const save = async (codeId: string, logo: string) =>
    saveDesign(
      service.db,
      await QrCode.query(service.db).findById(codeId).throwIfNotFound(),
      {
        design: normalizeDesign({ logo }),
        readsAtMm: 15,
        proven: 'x',
        look: { foregroundColor: '#1a1410', backgroundColor: '#ffffff', errorCorrection: 'M' },
        errorCorrection: 'M',
        sharesLogo: true,
      },
      new Date(),
    );

  /** Brings each change to where it waits, with the locks that it has taken so far, then lets them go on. */
  async function interleave(logo: string, changes: (() => Promise<unknown>)[]) {
    const holder = await observer.transaction();
    const started: Promise<unknown>[] = [];
    try {
      await holder.raw('SELECT FROM logos WHERE id = ? FOR UPDATE', [logo]);
      for (const change of changes) {
        const running = change();
        // Awaited below; it may fail before.
        running.catch(() => undefined);
        started.push(running);
        await eventually(async () => expect(await countWaiting()).to.equal(started.length));
      }
    } finally {
      await holder.commit();
    }
    return Promise.allSettled(started);
  }

  async function countWaiting(): Promise<number> {
    const { rows } = (await observer.raw(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )) as { rows: [{ waiting: number }] };
    return rows[0].waiting;
  }

  it('let a style be changed and deleted at the same time', async () => {
    const { ownerId, logo, style } = await ownerWithStyle();
    const design = { from: style.design, to: { ...style.design, quietZone: 5 } };
    const results = await interleave(logo.id, [
      () => changeStyle(service.db, ownerId as WorkspaceId, style.id, { design }, new Date()),
      () => removeStyle(service.db, ownerId as WorkspaceId, style.id),
    ]);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled']);
    expect(await findStyles(service.db, ownerId as WorkspaceId)).to.deep.equal([]);
    expect(await service.db('logos').where({ id: logo.id })).to.deep.equal([]);
  });

  it('let a style be deleted while it is applied', async () => {
    const { ownerId, codes, logo, style } = await ownerWithStyle();
    const [codeId = ''] = codes;
    const wanted = { styleId: style.id, codeIds: [codeId], keepsDesigns: false };
    await addApplication(service.db, ownerId as WorkspaceId, wanted, new Date());
    const handler = createStyleHandler({
      backgroundDb: service.db,
      proofs: readableProofs,
      site: { baseUrl: 'https://qr.test' },
      closing: new AbortController().signal,
    });
    const results = await interleave(logo.id, [
      () => handler({ isOver: () => false }),
      () => removeStyle(service.db, ownerId as WorkspaceId, style.id),
    ]);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled']);
    expect(await findStyles(service.db, ownerId as WorkspaceId)).to.deep.equal([]);
    expect((await findDesign(service.db, codeId))?.design.logo).to.equal(logo.id);
  });

  it('let a code with a file be created in a style that is deleted meanwhile', async () => {
    const { ownerId, logo, style } = await ownerWithStyle();
    await changeStyle(service.db, ownerId as WorkspaceId, style.id, { isDefault: true }, new Date());
    const file = { kind: 'file', name: 'Menu.pdf', mediaType: 'application/pdf', data: pdf() } as const;
    const parts = {
      db: service.db,
      config: { baseUrl: 'https://qr.test', qrCodeLifetimeDays: 365, limits: defaultLimits },
      proofs: readableProofs,
      now: () => new Date(),
    };
    const results = await interleave(logo.id, [
      () => createFileCode(parts, ownerId as WorkspaceId, file, 'Menu'),
      () => removeStyle(service.db, ownerId as WorkspaceId, style.id),
    ]);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled']);
    const designs = await service.db('designs').whereRaw(`design ->> 'logo' = ?`, [logo.id]);
    expect(designs).to.have.length(1);
  });

  it('let an account be deleted while its codes get a style', async () => {
    const { ownerId, codes, logo } = await ownerWithStyle();
    for (const code of codes) await save(code, logo.id);
    const user = await User.query(service.db).findById(ownerId).throwIfNotFound();
    const [deleted, ...saved] = await interleave(logo.id, [
      () => deleteUser(service.db, user),
      ...codes.map((code) => () => save(code, logo.id)),
    ]);
    expect(deleted?.status).to.equal('fulfilled');
    for (const each of saved) expect(each).to.have.property('reason').that.is.instanceOf(AppError);
    expect(await service.db('logos').where({ id: logo.id })).to.deep.equal([]);
  });
});
