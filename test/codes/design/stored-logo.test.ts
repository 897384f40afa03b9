import { expect } from 'chai';
import { QrCode } from '../../../src/codes/qr-code.ts';
import { normalizeDesign } from '../../../src/codes/design/design.ts';
import { findDesign, saveDesign } from '../../../src/codes/design/stored-design.ts';
import { maxLogos } from '../../../src/codes/files/upload.ts';
import { type NewLogo, newLogo } from '../../../src/codes/design/stored-logo.ts';
import { eventually } from '../../support/eventually.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

describe('Stored logos', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function ownerWithCodes(count: number) {
    const api = ownerClient(service);
    const codes: string[] = [];
    for (let index = 0; index < count; index += 1)
      codes.push((await createCode(api, { name: 'Menu', content: 'https://example.com/' })).id);
    const { user_id: ownerId } = await service.db('qr_codes').where({ id: codes[0] }).first();
    const logo = (text: string) => newLogo(String(ownerId) as WorkspaceId, Buffer.from(text));
    return { codes, ownerId: String(ownerId), logo };
  }

  const save = async (codeId: string | undefined, logo: NewLogo) =>
    saveDesign(
      service.db,
      await QrCode.query(service.db).findById(String(codeId)).throwIfNotFound(),
      {
        design: normalizeDesign({ logo: logo.id }),
        readsAtMm: 15,
        proven: 'x',
        look: { foregroundColor: '#1a1410', backgroundColor: '#ffffff', errorCorrection: 'M' },
        errorCorrection: 'M',
        newLogo: logo,
      },
      new Date(),
    );

  it('are swapped between two codes at the same time', async () => {
    const { codes, logo } = await ownerWithCodes(2);
    const [first, second] = codes;
    const [one, other] = [logo('one'), logo('other')];
    await save(first, one);
    await save(second, other);
    // Both changes are brought to where they wait, with the locks that they have taken so far.
    const holder = await service.db.transaction();
    await holder.raw('SELECT FROM designs WHERE code_id = ANY(?) FOR UPDATE', [codes]);
    const swapped = Promise.allSettled([save(first, other), save(second, one)]);
    await eventually(async () => {
      const { rows } = (await service.db.raw(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )) as { rows: [{ waiting: number }] };
      expect(rows[0].waiting).to.equal(2);
    });
    await holder.commit();
    expect((await swapped).map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled']);
    expect((await findDesign(service.db, String(first)))?.design.logo).to.equal(other.id);
    expect((await findDesign(service.db, String(second)))?.design.logo).to.equal(one.id);
    expect(await service.db('logos').whereIn('id', [one.id, other.id])).to.have.length(2);
  });

  it('stay within the limit of the account in parallel requests', async () => {
    const { codes, ownerId, logo } = await ownerWithCodes(3);
    const stored = Array.from({ length: maxLogos - 1 }, (_, index) => ({
      id: `${ownerId}-${index}`,
      user_id: ownerId,
      png: Buffer.from('x'),
      created_at: new Date(),
    }));
    await service.db('logos').insert(stored);
    const saved = await Promise.allSettled(codes.map((code) => save(code, logo(code))));
    expect(saved.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(await service.db('logos').where({ user_id: ownerId })).to.have.length(maxLogos);
  });
});
