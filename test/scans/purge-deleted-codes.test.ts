import { expect } from 'chai';
import { purgeDeletedCodes } from '../../src/scans/purge-deleted-codes.ts';
import { createScanRecorder } from '../../src/scans/scan-recorder.ts';
import type { Database } from '../../src/store/database.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

describe('A deleted code', () => {
  let service: TestService;
  let db: Database;
  let api: ReturnType<typeof apiClient>;
  let codeId: string;
  before(async () => {
    service = await startService();
    db = service.db;
  });
  beforeEach(async () => {
    await db('deleted_codes').delete();
    api = apiClient(service.url, await service.makeKey());
    codeId = (await createCode(api)).id;
  });
  after(() => service.stop());

  const moment = '2026-11-01T12:00:00.000Z';
  const record = (rows: number, id = codeId) =>
    createScanRecorder(db)(Array.from({ length: rows }, () => scanRow(id, moment)));
  const remove = (id = codeId) => api(`/qrcodes/${id}?permanently=true`, { method: 'DELETE' });
  const purge = () => purgeDeletedCodes(db, () => false);
  const listed = () => db('deleted_codes').pluck<string[]>('id');
  const rowsOf = async (table: string, id = codeId) => {
    const [row] = (await db(table).where({ qr_code_id: id }).count('* as count')) as { count: number }[];
    return row?.count;
  };

  it('is listed, and its scans and counters are purged', async () => {
    await record(12_000);
    const counters = await rowsOf('scan_counters');
    expect((await remove()).status).to.equal(204);
    expect(await listed()).to.deep.equal([codeId]);
    expect(await rowsOf('scans')).to.equal(12_000);
    expect(await purge()).to.deep.equal({ scans: 12_000, counters, codes: 0 });
    expect([await rowsOf('scans'), await rowsOf('scan_counters')]).to.deep.equal([0, 0]);
  });

  it('is purged again later, because a recorder may have been at work, and then forgotten', async () => {
    await remove();
    await purge();
    // As by a recorder whose statement began before the code was deleted.
    await db('scans').insert({
      id: scanRow(codeId, moment).id,
      qr_code_id: codeId,
      scanned_at: moment,
      country: 'GB',
      device: 'mobile',
      browser: 'Safari',
      os: 'iOS',
    });
    await db('deleted_codes').update({ deleted_at: db.raw("now() - interval '11 minutes'") });
    expect(await purge()).to.deep.equal({ scans: 1, counters: 0, codes: 1 });
    expect(await listed()).to.deep.equal([]);
  });

  it('leaves the scans of other codes alone', async () => {
    const other = (await createCode(api)).id;
    await record(3, other);
    await record(3);
    await remove();
    await purge();
    expect(await rowsOf('scans', other)).to.equal(3);
    expect(await rowsOf('scan_counters', other)).to.be.above(0);
  });

  it('is purged in steps that can be interrupted', async () => {
    await record(12_000);
    await remove();
    let steps = 0;
    const first = await purgeDeletedCodes(db, () => (steps += 1) > 1);
    expect(first).to.deep.equal({ scans: 5_000, counters: 0, codes: 0 });
    expect((await purge()).scans).to.equal(7_000);
  });

  it('is listed when its account is deleted', async () => {
    await record(2);
    const code = (await db('qr_codes').where({ id: codeId }).first('user_id')) as { user_id: string };
    await db('users').where({ id: code.user_id }).delete();
    expect(await listed()).to.deep.equal([codeId]);
    expect((await purge()).scans).to.equal(2);
  });

  it('can always be deleted with its account, however many recorders are at work', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await createCode(api)).id));
    const code = (await db('qr_codes').where({ id: codeId }).first('user_id')) as { user_id: string };
    let arriving = true;
    const recorders = Array.from({ length: 4 }, async (_, recorder) => {
      const recordAll = createScanRecorder(db);
      // New browsers all the time, so that the recorders lock codes, too.
      for (let batch = 0; arriving; batch += 1) {
        const browser = (index: number) => ({ browser: `B${recorder}-${batch}-${index}` });
        await recordAll(
          ids.flatMap((id) => Array.from({ length: 10 }, (__, index) => scanRow(id, moment, browser(index)))),
        );
      }
    });
    try {
      await eventually(async () => expect(await rowsOf('scans', ids[0])).to.be.above(0));
      await db('users').where({ id: code.user_id }).delete();
    } finally {
      arriving = false;
      await Promise.all(recorders);
    }
    await purge();
    for (const id of ids) expect(await rowsOf('scans', id)).to.equal(0);
  });
});
