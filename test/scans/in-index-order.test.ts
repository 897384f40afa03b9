import { expect } from 'chai';
import { compareSpan, countedSpans } from '../../src/scans/counters.ts';
import { listScans } from '../../src/scans/scan.ts';
import { purgeDeletedCodes } from '../../src/scans/purge-deleted-codes.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { fillScans } from '../support/fill-scans.ts';
import { ownerClient } from '../support/owner-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

const scans = 110_000;
const days = 30;

describe('A code whose scans the statistics of Postgres do not know', () => {
  let service: TestService;
  /** One connection, whose reads are counted. */
  let db: Database;
  let codeId: string;

  before(async () => {
    service = await startService();
    db = openDatabase(service.databaseUrl, { poolMax: 1, applicationName: 'test', queryTimeoutMs: 60_000 });
    const api = ownerClient(service);
    await fillScans(service.db, (await createCode(api)).id, 1_000, days);
    await service.db.raw('ANALYZE scans');
    codeId = (await createCode(api)).id;
    await fillScans(service.db, codeId, scans, days);
  });
  after(async () => {
    await db.destroy();
    await service.stop();
  });

  /** How many scans it has read, by index or not. */
  async function readBy(work: () => Promise<unknown>): Promise<number> {
    const count = async () => {
      await db.raw('SELECT pg_stat_force_next_flush()');
      const { rows } = (await db.raw(
        `SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint AS count
         FROM pg_stat_user_tables WHERE relname LIKE 'scans%'`,
      )) as { rows: [{ count: number }] };
      return rows[0].count;
    };
    const before = await count();
    await work();
    return (await count()) - before;
  }

  it('has a first page that reads a page', async () => {
    expect(await readBy(() => listScans(db, codeId, { limit: 100 }))).to.be.within(1, 500);
  });

  it('has days that are found one by one', async () => {
    let spans = 0;
    expect(
      await readBy(async () => {
        spans = (await countedSpans(db, codeId)).length;
      }),
    ).to.be.within(1, 10 * days);
    expect(spans).to.be.above(0);
  });

  it('is compared in steps that read each scan once', async () => {
    const span = { first: '2000-01-01', last: '2100-01-01', days: 1 };
    expect(await readBy(() => compareSpan(db, codeId, span))).to.be.within(scans, 1.2 * scans);
  });

  it('is purged in steps that read each scan once or twice', async () => {
    await service.db('qr_codes').where({ id: codeId }).delete();
    expect(await readBy(() => purgeDeletedCodes(db, () => false))).to.be.within(scans, 2.5 * scans);
    expect(await service.db('scans').where({ qr_code_id: codeId })).to.deep.equal([]);
  });
});
