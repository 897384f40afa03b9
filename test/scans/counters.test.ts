import { expect } from 'chai';
import { readAnalytics } from '../../src/scans/analytics.ts';
import { countedSpans, rebuildSpan } from '../../src/scans/counters.ts';
import { columnNames } from '../../src/scans/dimensions.ts';
import { Scan } from '../../src/scans/scan.ts';
import { apiClient } from '../support/api-client.ts';
import { counterDifferences, countersOf } from '../support/counters.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

describe('Counters against raw scans', () => {
  let service: TestService;
  let id: string;
  const days = ['2026-03-01', '2026-03-02', '2026-07-31', '2026-11-14'];

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    id = (await createCode(apiClient(service.url, await service.makeKey()))).id;
    await Scan.record(
      service.db,
      days.flatMap((day) => [scan(`${day}T00:00:00.000Z`), scan(`${day}T23:59:59.999Z`)]),
    );
  });
  after(() => service.stop());

  const scan = (at: string) => scanRow(id, at);
  const settings = () => ({ DATABASE_URL: service.databaseUrl });
  const counter = (dimension: string, day: string) =>
    service.db('scan_counters').where({ qr_code_id: id, dimension, day });

  it('finds nothing where they agree', async () => {
    expect(await counterDifferences(service.db, id)).to.deep.equal([]);
    const { code, stdout } = await runQrelayHere(['counters', 'verify', '--code', id], settings());
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
  });

  it('prints each counter that is too high, too low, missing or without a scan, and exits with 1', async () => {
    await counter('total', days[0] ?? '').update({ count: 7 });
    await counter('device', days[1] ?? '').update({ count: 1 });
    await counter('country', days[2] ?? '').delete();
    await service
      .db('scan_counters')
      .insert({ qr_code_id: id, dimension: 'os', day: '2026-01-01', value: 'BeOS', count: 3 });
    const { code, stdout } = await runQrelayHere(['counters', 'verify', '--code', id], settings());
    expect(code).to.equal(1);
    expect(stdout.trim().split('\n')).to.deep.equal([
      `${id}\tcountry\t2026-07-31\tGB\tcounted 0\tscans 2`,
      `${id}\tdevice\t2026-03-02\tmobile\tcounted 1\tscans 2`,
      `${id}\tos\t2026-01-01\tBeOS\tcounted 3\tscans 0`,
      `${id}\ttotal\t2026-03-01\t\tcounted 7\tscans 2`,
    ]);
  });

  it('knows every UTC day with scans or counters', async () => {
    await service
      .db('scan_counters')
      .insert({ qr_code_id: id, dimension: 'os', day: '2026-01-01', value: 'BeOS', count: 3 });
    const [span, ...more] = await countedSpans(service.db, id);
    expect(span).to.include({ first: '2026-01-01', last: days.at(-1), days: days.length + 1 });
    expect(more).to.deep.equal([]);
  });

  it('makes wrong counters right again, of one code or of all', async () => {
    const right = await countersOf(service.db, id);
    for (const args of [['--code', id], []]) {
      await service
        .db('scan_counters')
        .where({ qr_code_id: id })
        .update({ count: service.db.raw('count + 5') });
      await counter('city', days[3] ?? '').delete();
      const { code, stderr } = await runQrelayHere(['counters', 'rebuild', ...args], settings());
      expect(code, stderr).to.equal(0);
      expect(await countersOf(service.db, id)).to.deep.equal(right);
    }
    expect((await runQrelayHere(['counters', 'verify'], settings())).code).to.equal(0);
  });

  it('makes a day of more scans than one statement counts right, and no recorder waits for it', async () => {
    const day = '2026-05-05';
    // Ids of that day, as scans have them: their millisecond, then what makes them different.
    await service.db.raw(
      `INSERT INTO scans (id, qr_code_id, scanned_at, country, device, browser, os)
       SELECT CAST(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0') AS uuid),
              :id, at, 'DE', 'mobile', 'B' || n % 7, 'iOS'
       FROM generate_series(1, 120000) AS n, LATERAL (SELECT CAST(:day AS timestamptz) + n * interval '0.5 s' AS at) AS moment`,
      { id, day: `${day}T00:00:00Z` },
    );
    // The total, one value of each column, and six more browsers. The scans have no city.
    expect(await counterDifferences(service.db, id)).to.have.length(1 + columnNames.length + 6);
    let recordedMeanwhile = 0;
    let arriving = true;
    const arrivals = (async () => {
      while (arriving) {
        const { recorded } = await Scan.record(service.db, [scan(`${day}T23:00:00.000Z`)]);
        expect(recorded).to.equal(1);
        recordedMeanwhile += recorded;
      }
    })();
    for (const span of await countedSpans(service.db, id)) await rebuildSpan(service.db, id, span);
    arriving = false;
    await arrivals;
    expect(recordedMeanwhile).to.be.above(0);
    expect(await counterDifferences(service.db, id)).to.deep.equal([]);
    expect((await countersOf(service.db, id))['total']).to.deep.equal({ '': 120_008 + recordedMeanwhile });
  });

  it('corrects the number of cities where a city had counters without scans', async () => {
    const cities = async () =>
      (await readAnalytics(service.db, id, 365, new Date('2026-11-15'))).uniqueCities;
    const lastDay = async () => {
      const row = (await service
        .db('scan_cities')
        .where({ qr_code_id: id, city: 'GB|ENG|St Albans' })
        .first('last_day as lastDay')) as { lastDay: string };
      return row.lastDay;
    };
    expect([await cities(), await lastDay()]).to.deep.equal([1, '2026-11-14']);
    await service.db('scan_counters').insert([
      { qr_code_id: id, dimension: 'city', day: '2026-11-11', value: 'GB|ENG|Nowhere', count: 1 },
      { qr_code_id: id, dimension: 'city', day: '2026-11-15', value: 'GB|ENG|St Albans', count: 1 },
    ]);
    expect([await cities(), await lastDay()]).to.deep.equal([2, '2026-11-15']);
    for (const span of await countedSpans(service.db, id)) await rebuildSpan(service.db, id, span);
    expect([await cities(), await lastDay()]).to.deep.equal([1, '2026-11-14']);
  });

  it('refuses a second rebuild of a code while one is under way', async () => {
    const [span] = await countedSpans(service.db, id);
    expect(span).not.to.equal(undefined);
    await service.db.transaction(async (other) => {
      await other.raw("SELECT pg_advisory_xact_lock(hashtextextended('rebuild ' || ?, 0))", [id]);
      const { code, stderr } = await runQrelayHere(['counters', 'rebuild', '--code', id], settings());
      expect(code).to.equal(1);
      expect(stderr).to.contain('are being rebuilt already. Wait for that to finish.');
    });
  });

  it('loses and doubles no scan that arrives during a rebuild, and no reader sees a wrong moment', async () => {
    const today = '2026-11-14';
    let arriving = true;
    let recorded = 0;
    const arrivals = async () => {
      while (arriving) {
        const batch = await Scan.record(service.db, [
          scan(`${today}T12:00:00.000Z`),
          scan(`${days[0]}T12:00:00.000Z`),
        ]);
        recorded += batch.recorded;
      }
    };
    const seen: number[] = [];
    const reader = async () => {
      while (arriving) seen.push((await countersOf(service.db, id))['total']?.[''] ?? 0);
    };
    const working = [arrivals(), arrivals(), reader()];
    for (let times = 0; times < 5; times += 1) {
      for (const span of await countedSpans(service.db, id)) await rebuildSpan(service.db, id, span);
    }
    arriving = false;
    await Promise.all(working);
    expect(recorded).to.be.above(0);
    expect((await countersOf(service.db, id))['total']).to.deep.equal({ '': days.length * 2 + recorded });
    expect(await counterDifferences(service.db, id)).to.deep.equal([]);
    expect(seen).to.deep.equal(seen.toSorted((a, b) => a - b));
  });
});
