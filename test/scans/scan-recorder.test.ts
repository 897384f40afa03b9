import { expect } from 'chai';
import { clientControlledColumns } from '../../src/scans/dimensions.ts';
import type { ScanRow } from '../../src/scans/scan.ts';
import { createScanRecorder } from '../../src/scans/scan-recorder.ts';
import { apiClient } from '../support/api-client.ts';
import { counterDifferences, countersOf } from '../support/counters.ts';
import { eventually } from '../support/eventually.ts';
import { lockCode } from '../support/row-lock.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

const mostValues = 200;

describe('Scans with client-controlled values that nobody has heard of', () => {
  let service: TestService;
  let codeId: string;

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    codeId = (await createCode(apiClient(service.url, await service.makeKey()))).id;
  });
  after(() => service.stop());

  const day = (date: number) => `2026-11-0${date}T12:00:00.000Z`;
  const everyColumn = (valueOf: (name: string) => string): Partial<ScanRow> =>
    Object.fromEntries(clientControlledColumns.map((name) => [name, valueOf(name)]));
  const strange = (count: number, from = 0, changes: Partial<ScanRow> = {}, date = 1) =>
    Array.from({ length: count }, (_, index) =>
      scanRow(codeId, day(date), { ...everyColumn((name) => `${name} ${from + index}`), ...changes }),
    );
  const sum = (counts: Record<string, number> = {}) =>
    Object.values(counts).reduce((total, count) => total + count, 0);

  async function expectBounded(scans: number): Promise<Record<string, Record<string, number>>> {
    const counted = await countersOf(service.db, codeId);
    for (const dimension of clientControlledColumns) {
      expect(Object.keys(counted[dimension] ?? {}).length, dimension).to.be.at.most(mostValues);
      expect(sum(counted[dimension]), dimension).to.equal(scans);
    }
    expect(await counterDifferences(service.db, codeId)).to.deep.equal([]);
    return counted;
  }

  it('are counted as Other beyond 200 kinds a day, and not one of them is lost', async () => {
    const record = createScanRecorder(service.db);
    for (let from = 0; from < 500; from += 100) await record(strange(100, from));
    const { browser = {} } = await expectBounded(500);
    expect(Object.keys(browser).length).to.equal(mostValues);
    expect(browser['Other']).to.equal(500 - (mostValues - 1));
    // Also in a batch of known and unknown ones, by a recorder that has to read what is counted already.
    await createScanRecorder(service.db)([...strange(3), ...strange(3, 900)]);
    const after = (await expectBounded(506))['browser'] ?? {};
    expect(after).to.include({
      'browser 0': 2,
      'browser 1': 2,
      'browser 2': 2,
      Other: (browser['Other'] ?? 0) + 3,
    });
  });

  it('leave the other kinds of the day, and the next day, as they are', async () => {
    const record = createScanRecorder(service.db);
    await record(strange(300, 0, { os: 'iOS' }));
    await record(strange(1, 777, {}, 2));
    const { os = {}, browser = {} } = await countersOf(service.db, codeId);
    expect(os).to.deep.equal({ iOS: 300, 'os 777': 1 });
    expect(browser).to.include({ 'browser 777': 1 });
  });

  it('are held to the same 200 by several workers at once', async () => {
    const workers = Array.from({ length: 4 }, () => createScanRecorder(service.db));
    await Promise.all(
      workers.flatMap((record, worker) =>
        Array.from({ length: 10 }, (_, batch) =>
          // As a worker does: what another one holds just now is tried again.
          eventually(async () => {
            const { lockedCodes } = await record(strange(25, worker * 1_000 + batch * 25));
            expect(lockedCodes).to.deep.equal([]);
          }),
        ),
      ),
    );
    await expectBounded(1_000);
  });

  it('wait for their turn while another worker admits new kinds of the code; other codes do not wait', async () => {
    const other = await createCode(apiClient(service.url, await service.makeKey()));
    const record = createScanRecorder(service.db);
    const rows = [...strange(20), scanRow(other.id, day(1))];
    const lock = await lockCode(service.db, codeId);
    try {
      expect(await record(rows)).to.deep.equal({ recorded: 1, known: 1, lockedCodes: [codeId] });
    } finally {
      await lock.release();
    }
    expect(await record(rows)).to.deep.equal({ recorded: 20, known: 21, lockedCodes: [] });
    await expectBounded(20);
  });

  it('do not take a lock while a code has few of them', async () => {
    const record = createScanRecorder(service.db);
    const lock = await lockCode(service.db, codeId);
    try {
      for (let from = 0; from < 40; from += 4) await record(strange(4, from));
    } finally {
      await lock.release();
    }
    await expectBounded(40);
  });

  it('are known as Other in the list of scans, too', async () => {
    await createScanRecorder(service.db)(strange(250));
    const rows = (await service
      .db('scans')
      .where({ qr_code_id: codeId, ...everyColumn(() => 'Other') })
      .count()) as { count: number }[];
    expect(Number(rows[0]?.count)).to.equal(250 - (mostValues - 1));
  });
});
