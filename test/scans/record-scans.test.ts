import { expect } from 'chai';
import { readScanTotals } from '../../src/scans/analytics.ts';
import { Scan, type ScanRow } from '../../src/scans/scan.ts';
import { type Database, sqlState } from '../../src/store/database.ts';
import { apiClient } from '../support/api-client.ts';
import { countersOf, iPhoneCounters } from '../support/counters.ts';
import { lockWaiters } from '../support/row-lock.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

describe('Recording scans', () => {
  let service: TestService;
  let codeId: string;

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    codeId = (await createCode(apiClient(service.url, await service.makeKey()))).id;
  });
  after(() => service.stop());

  const scan = (fields: Partial<ScanRow> = {}) => scanRow(codeId, '2026-11-01T12:00:00.000Z', fields);

  it('adds each new scan to the table and to every counter', async () => {
    expect(await Scan.record(service.db, [scan(), scan({ device: 'desktop' })])).to.deep.equal({
      recorded: 2,
      known: 2,
    });
    expect(await countersOf(service.db, codeId)).to.deep.equal({
      ...iPhoneCounters(2),
      device: { mobile: 1, desktop: 1 },
    });
  });

  it('counts a scan once when it is recorded again, alone or among others', async () => {
    const first = scan();
    await Scan.record(service.db, [first]);
    expect(await Scan.record(service.db, [first])).to.deep.equal({ recorded: 0, known: 1 });
    expect(await Scan.record(service.db, [first, scan()])).to.deep.equal({
      recorded: 1,
      known: 2,
    });
    expect((await countersOf(service.db, codeId))['total']).to.deep.equal({ '': 2 });
  });

  it('counts a scan once when one batch holds it twice', async () => {
    const twice = scan();
    expect(await Scan.record(service.db, [twice, twice])).to.deep.equal({
      recorded: 1,
      known: 2,
    });
    expect((await countersOf(service.db, codeId))['total']).to.deep.equal({ '': 1 });
  });

  it('counts a scan by a clock that is ahead in no period that ends today', async () => {
    await Scan.record(service.db, [
      scanRow(codeId, '2026-10-26T12:00:00.000Z'),
      scan(),
      scanRow(codeId, '2026-11-02T00:00:00.000Z'),
    ]);
    expect(await readScanTotals(service.db, codeId, '2026-11-01', [1, 6, 7])).to.deep.equal({
      exists: true,
      ever: 3,
      today: 1,
      periods: { 1: 1, 6: 1, 7: 2 },
    });
  });

  it('counts a scan without a city for no city', async () => {
    await Scan.record(service.db, [
      scan({ country: 'ZZ', region: null, city: null, latitude: null, longitude: null }),
    ]);
    const counters = await countersOf(service.db, codeId);
    expect(counters['country']).to.deep.equal({ ZZ: 1 });
    expect(counters).to.not.have.property('city');
  });

  it('drops the scans of a code that does not exist and records the others', async () => {
    const gone = '01936f3e-7c1a-7d44-8f0b-2a5c7f0e9b11';
    expect(await Scan.record(service.db, [scan({ qrCodeId: gone }), scan()])).to.deep.equal({
      recorded: 1,
      known: 1,
    });
    expect((await countersOf(service.db, codeId))['total']).to.deep.equal({ '': 1 });
  });

  describe('of several codes', () => {
    /** In the order of their ids. */
    let codes: [string, string];
    beforeEach(async () => {
      const other = (await createCode(apiClient(service.url, await service.makeKey()))).id;
      codes = [codeId, other].toSorted() as [string, string];
    });
    const scanOf = (qrCodeId: string) => scan({ qrCodeId });

    /** While another transaction holds what comes last in the order, what comes first is taken. */
    async function whileLastIsHeld(
      hold: (holder: Database) => Promise<unknown>,
      rows: ScanRow[],
      check: () => Promise<unknown>,
    ): Promise<void> {
      const holder = await service.db.transaction();
      try {
        await hold(holder);
        const recording = Scan.record(service.db, rows);
        recording.catch(() => undefined); // awaited below
        await lockWaiters(service.db, 1);
        await check();
        await holder.rollback();
        await recording;
      } finally {
        if (!holder.isCompleted()) await holder.rollback();
      }
    }

    // Otherwise two workers with the same codes in another order would wait for each other.
    for (const isAllNew of [true, false])
      it(`locks counters in the order of their keys, ${isAllNew ? 'if all scans are new' : 'also if some are known'}`, async () => {
        const [first, last] = codes;
        const known = [scanOf(first), scanOf(last)];
        await Scan.record(service.db, known);
        const rows = [scanOf(last), scanOf(first), ...(isAllNew ? [] : known)];
        const free = (qr_code_id: string) =>
          service.db('scan_counters').where({ qr_code_id }).forUpdate().skipLocked();
        await whileLastIsHeld(
          (holder) => holder('scan_counters').where({ qr_code_id: last }).forUpdate(),
          rows,
          async () => expect(await free(first)).to.deep.equal([]),
        );
        expect((await countersOf(service.db, first))['total']).to.deep.equal({ '': 2 });
        expect((await countersOf(service.db, last))['total']).to.deep.equal({ '': 2 });
      });

    it('inserts scans in the order of their codes and ids', async () => {
      const [one, two, three] = [scanOf(codes[0]), scanOf(codes[0]), scanOf(codes[1])].toSorted((a, b) =>
        a.qrCodeId + a.id < b.qrCodeId + b.id ? -1 : 1,
      ) as [ScanRow, ScanRow, ScanRow];
      const isTaken = async (row: ScanRow) => {
        const transaction = await service.db.transaction();
        await transaction.raw("SET LOCAL lock_timeout = '50ms'");
        const error = await Scan.record(transaction, [row]).catch((reason: unknown) => reason);
        await transaction.rollback();
        return sqlState(error) === '55P03';
      };
      await whileLastIsHeld(
        (holder) => Scan.record(holder, [three]),
        [three, two, one],
        async () => expect([await isTaken(one), await isTaken(two)]).to.deep.equal([true, true]),
      );
    });
  });

  it('keeps the counters true when many batches, some with the same scans, come at once', async () => {
    const scans = Array.from({ length: 400 }, (_, index) =>
      scan({ device: index % 2 ? 'mobile' : 'desktop', browser: `Browser ${index % 17}` }),
    );
    const reversed = scans.toReversed();
    const batches = Array.from({ length: 16 }, (_, index) =>
      (index % 2 ? scans : reversed).slice((index >> 1) * 50, (index >> 1) * 50 + 100),
    );
    const recorded = await Promise.all(batches.map((batch) => Scan.record(service.db, batch)));
    const distinct = new Set(batches.flat().map(({ id }) => id)).size;
    expect(recorded.reduce((sum, batch) => sum + batch.recorded, 0)).to.equal(distinct);
    expect((await countersOf(service.db, codeId))['total']).to.deep.equal({ '': distinct });
  });
});
