import { expect } from 'chai';
import { countedSpans, rebuildSpan } from '../../src/scans/counters.ts';
import {
  createPartitions,
  dropExpiredPartitions,
  listPartitions,
  readHorizon,
} from '../../src/scans/partitions.ts';
import { createScanRecorder } from '../../src/scans/scan-recorder.ts';
import type { Database } from '../../src/store/database.ts';
import { apiClient } from '../support/api-client.ts';
import { counterDifferences, countersOf } from '../support/counters.ts';
import { scanRow } from '../support/scan-rows.ts';
import { futurePartition } from '../support/start-servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { inTimeZone } from '../support/time-zone.ts';

describe('The partitions of scans', () => {
  let service: TestService;
  let db: Database;
  let codeId: string;
  /** The month after the one in which the database was migrated. */
  let next: Date;
  beforeEach(async () => {
    service = await startService();
    db = service.db;
    await db.raw(`DROP TABLE ${futurePartition}`);
    codeId = (await createCode(apiClient(service.url, await service.makeKey()))).id;
    next = (await listPartitions(db))[0]?.to ?? new Date(0);
  });
  afterEach(() => service.stop());

  const month = (offset: number) => new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + offset));
  const name = (offset: number) => `scans_${month(offset).toISOString().slice(0, 7).replace('-', '_')}`;
  const inMonth = (offset: number) => new Date(month(offset).getTime() + 10 * 24 * 3_600_000).toISOString();
  const names = async () => (await listPartitions(db)).map((partition) => partition.name).slice(1);
  const rowsIn = async (table: string) => {
    const [row] = (await db(table).count('* as count')) as { count: number }[];
    return row?.count;
  };

  it('exist for this month and three more, however often and by how many processes they are created', async () => {
    await Promise.all(Array.from({ length: 4 }, () => createPartitions(db, month(0))));
    expect(await names()).to.deep.equal([name(0), name(1), name(2), name(3)]);
    expect(await createPartitions(db, month(1))).to.deep.equal(month(5));
    expect(await names()).to.deep.equal([name(0), name(1), name(2), name(3), name(4)]);
  });

  it('begin, end and are dropped with the months of UTC, in whichever time zone the process runs', async () => {
    const hourMs = 3_600_000;
    const bounds = async () =>
      (await listPartitions(db)).slice(1).map(({ name: table, from, to }) => [table, from, to]);
    const months = (last: number) =>
      Array.from({ length: last + 1 }, (_, offset) => [name(offset), month(offset), month(offset + 1)]);
    // There, the month begins 14 hours earlier.
    await inTimeZone('Pacific/Kiritimati', async () => {
      const lastEvening = new Date(month(1).getTime() - hourMs);
      expect(await createPartitions(db, lastEvening)).to.deep.equal(month(4));
      expect(await bounds()).to.deep.equal(months(3));
      expect(await dropExpiredPartitions(db, 1, lastEvening)).to.have.length(0);
    });
    // And there, eight hours later.
    await inTimeZone('America/Los_Angeles', async () => {
      const firstMorning = new Date(month(1).getTime() + hourMs);
      expect(await createPartitions(db, firstMorning)).to.deep.equal(month(5));
      expect(await bounds()).to.deep.equal(months(4));
      expect(await dropExpiredPartitions(db, 1, firstMorning)).to.have.length(1);
      expect(await readHorizon(db)).to.deep.equal(month(0));
    });
  });

  it('are created for months that were skipped, as after the restore of an old backup', async () => {
    await createPartitions(db, month(0));
    await createPartitions(db, month(7));
    expect(await names()).to.deep.equal(Array.from({ length: 11 }, (_, offset) => name(offset)));
    await db.raw(`DROP TABLE ${name(2)}, ${name(3)}`);
    expect(await createPartitions(db, month(7))).to.deep.equal(month(11));
    expect(await names()).to.deep.equal(Array.from({ length: 11 }, (_, offset) => name(offset)));
    const { recorded } = await createScanRecorder(db)([scanRow(codeId, inMonth(3))]);
    expect(recorded).to.equal(1);
    // Not without end, if the clock is wrong.
    await createPartitions(db, month(600));
    expect(await names()).to.have.length(11 + 24 + 1 + 3);
  });

  it('hold the scans of their month, have one index, and refer to no other table', async () => {
    await createPartitions(db, month(0));
    const record = createScanRecorder(db);
    await record([0, 1, 1].map((offset) => scanRow(codeId, inMonth(offset))));
    expect([await rowsIn(name(0)), await rowsIn(name(1)), await rowsIn(name(2))]).to.deep.equal([1, 2, 0]);
    const { rows } = (await db.raw(
      `SELECT conrelid::regclass::text AS "table", contype AS type, pg_get_constraintdef(oid) AS rule
       FROM pg_constraint WHERE conrelid IN ('scans'::regclass, ?::regclass) AND contype <> 'n' ORDER BY 1`,
      [name(0)],
    )) as { rows: unknown[] };
    const rule = 'PRIMARY KEY (qr_code_id, id)';
    expect(rows).to.deep.equal([
      { table: 'scans', type: 'p', rule },
      { table: name(0), type: 'p', rule },
    ]);
    const indexes = (await db('pg_indexes').where({ tablename: name(0) })) as unknown[];
    expect(indexes).to.have.length(1);
  });

  it('are created by the recorder if one is missing when a scan arrives', async () => {
    const [first] = await listPartitions(db);
    // As in a database whose partitions end today, because nothing created more.
    const today = new Date();
    await db.raw(`ALTER TABLE scans DETACH PARTITION ${first?.name}`);
    const { recorded } = await createScanRecorder(db)([scanRow(codeId, today.toISOString())]);
    expect(recorded).to.equal(1);
    expect((await listPartitions(db)).length).to.be.at.least(4);
  });

  describe('past their retention', () => {
    it('are dropped whole: analytics stay, and the counters of that time are neither verified nor rebuilt', async () => {
      await createPartitions(db, month(0));
      const record = createScanRecorder(db);
      await record([-2, 0, 1, 2].map((offset) => scanRow(codeId, inMonth(offset))));
      expect(await readHorizon(db)).to.equal(undefined);
      expect(await dropExpiredPartitions(db, 1, month(2))).to.have.length(2);
      expect(await names()).to.deep.equal([name(2), name(3)]);
      expect(await readHorizon(db)).to.deep.equal(month(1));
      expect(await rowsIn('scans')).to.equal(2);
      const counted = await countersOf(db, codeId);
      expect(counted['total']).to.deep.equal({ '': 4 });
      for (const span of await countedSpans(db, codeId))
        expect(await rebuildSpan(db, codeId, span)).to.equal(0);
      expect(await counterDifferences(db, codeId)).to.deep.equal([]);
      expect(await countersOf(db, codeId)).to.deep.equal(counted);
    });

    it('are dropped only when all of their scans are', async () => {
      await createPartitions(db, month(0));
      expect(await dropExpiredPartitions(db, 24, month(1))).to.deep.equal([]);
      expect(await dropExpiredPartitions(db, 1, month(0))).to.deep.equal([]);
      expect(await readHorizon(db)).to.equal(undefined);
    });

    it('are left for later while somebody reads them, and nobody waits behind that', async () => {
      const reader = await db.transaction();
      try {
        await reader('scans').first();
        const error = await dropExpiredPartitions(db, 1, month(3)).catch((reason: unknown) => reason);
        expect(error).to.have.property('code', '55P03');
        const { recorded } = await createScanRecorder(db)([scanRow(codeId, new Date().toISOString())]);
        expect(recorded).to.equal(1);
        expect(await readHorizon(db)).to.equal(undefined);
      } finally {
        await reader.rollback();
      }
    });
  });
});
