import { expect } from 'chai';
import { findCode } from '../../src/codes/codes.ts';
import { normalizeDesign } from '../../src/codes/design/design.ts';
import { purgeRemovedDesign, removeDesign } from '../../src/codes/design/removed-design.ts';
import { deleteDesign, saveDesign } from '../../src/codes/design/stored-design.ts';
import { newLogo } from '../../src/codes/design/stored-logo.ts';
import { deleteFile, saveFile } from '../../src/codes/files/stored-file.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import { deletePageLogo, savePageLogo } from '../../src/codes/share-page.ts';
import { trashCode } from '../../src/codes/trash.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { Database } from '../../src/store/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Tenant, tenants } from '../hostile/tenants.ts';
import { png } from './files/logo-files.ts';
import { pdf } from './files/pdf-file.ts';

const proven = {
  design: normalizeDesign({ moduleShape: 'dots' }),
  readsAtMm: 15,
  proven: 'x',
  look: { foregroundColor: '#000000', backgroundColor: '#ffffff', errorCorrection: 'M' },
  errorCorrection: 'M',
} as const;

type Change = (db: Database, code: QrCode) => Promise<unknown>;
const logoOf = ({ workspaceId }: QrCode) => ({ newLogo: newLogo(workspaceId, png()), alt: 'Other' });

const changes: Record<string, Change> = {
  'whose design is saved': (db, code) => saveDesign(db, code, proven, new Date()),
  'whose design is deleted': (db, code) => deleteDesign(db, code, new Date()),
  'whose design is removed': (db, code) => removeDesign(db, code, new Date()),
  'whose page gets a logo': (db, code) => savePageLogo(db, code, logoOf(code), new Date()),
  'whose page loses its logo': (db, code) => deletePageLogo(db, code, new Date()),
  'whose file is deleted': (db, code) => deleteFile(db, code, 'file'),
};

describe('A code that is moved to the trash after it was found', () => {
  let service: TestService;
  let world: ReturnType<typeof tenants>;
  let owner: Tenant;
  before(async () => {
    service = await startService();
    world = tenants(service);
    owner = await world.join('owner@example.com');
  });
  after(() => service.stop());

  async function completeCode(): Promise<QrCode> {
    const { code } = await world.makeCode(owner);
    await saveDesign(service.db, code, proven, new Date());
    const file = { kind: 'file', name: 'Menu.pdf', mediaType: 'application/pdf', data: pdf() } as const;
    await saveFile(service.db, code, file, { quotaBytes: 1e9, content: code.content, now: new Date() });
    return findCode(service.db, code.workspaceId, code.id);
  }

  const rowsOf = async ({ id }: QrCode) =>
    Promise.all(
      ['designs', 'page_logos', 'code_files', 'removed_designs'].map(
        (table) => service.db(table).where({ code_id: id }) as Promise<object[]>,
      ),
    );

  for (const [name, change] of Object.entries(changes))
    it(`and ${name} is missing, and not changed in the trash`, async () => {
      const code = await completeCode();
      await trashCode(service.db, code.workspaceId, code.id, defaultLimits);
      const before = await rowsOf(code);
      expect(before.slice(0, 3).map((rows) => rows.length)).to.deep.equal([1, 1, 1]);
      const error = await change(service.db, code).catch((cause: unknown) => cause);
      expect(error).to.include({ code: 'not_found' });
      expect(await rowsOf(code)).to.deep.equal(before);
      // Where nobody has moved it, the same succeeds.
      await change(service.db, await completeCode());
    });

  it('keeps the design that was removed from it, for whoever is not its owner', async () => {
    const code = await completeCode();
    await removeDesign(service.db, code, new Date());
    const stranger = await world.join('stranger@example.com');
    const { code: theirs } = await world.makeCode(stranger);
    await purgeRemovedDesign(service.db, { ...code, workspaceId: theirs.workspaceId });
    expect((await rowsOf(code))[3]).to.have.length(1);
    await purgeRemovedDesign(service.db, code);
    expect((await rowsOf(code))[3]).to.have.length(0);
  });
});
