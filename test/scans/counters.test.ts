import { expect } from 'chai';
import { countedDays, rebuildDay, verifyCounters } from '../../src/scans/counters.ts';
import { recordScans } from '../../src/scans/record-scans.ts';
import { apiClient } from '../support/api-client.ts';
import { countersOf } from '../support/counters.ts';
import { runQrelay } from '../support/programs.ts';
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
    await recordScans(
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
    expect(await verifyCounters(service.db, id)).to.deep.equal([]);
    const { code, stdout } = await runQrelay(['counters', 'verify', '--code', id], settings());
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
  });

  it('prints each counter that is too high, too low, missing or without a scan, and exits with 1', async () => {
    await counter('total', days[0] ?? '').update({ count: 7 });
    await counter('device', days[1] ?? '').update({ count: 1 });
    await counter('country', days[2] ?? '').delete();
    await service
      .db('scan_counters')
      .insert({ qr_code_id: id, dimension: 'os', day: '2026-01-01', value: 'BeOS', count: 3 });
    const { code, stdout } = await runQrelay(['counters', 'verify', '--code', id], settings());
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
    expect(await countedDays(service.db, id)).to.deep.equal(['2026-01-01', ...days]);
  });

  it('makes wrong counters right again, of one code or of all', async () => {
    const right = await countersOf(service.db, id);
    for (const args of [['--code', id], []]) {
      await service
        .db('scan_counters')
        .where({ qr_code_id: id })
        .update({ count: service.db.raw('count + 5') });
      await counter('city', days[3] ?? '').delete();
      const { code, stderr } = await runQrelay(['counters', 'rebuild', ...args], settings());
      expect(code, stderr).to.equal(0);
      expect(await countersOf(service.db, id)).to.deep.equal(right);
    }
    expect((await runQrelay(['counters', 'verify'], settings())).code).to.equal(0);
  });

  it('loses and doubles no scan that arrives during a rebuild, and no reader sees a wrong moment', async () => {
    const today = '2026-11-14';
    let arriving = true;
    let recorded = 0;
    const arrivals = async () => {
      while (arriving) {
        const batch = await recordScans(service.db, [
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
      for (const day of await countedDays(service.db, id)) await rebuildDay(service.db, id, day);
    }
    arriving = false;
    await Promise.all(working);
    expect(recorded).to.be.above(0);
    expect((await countersOf(service.db, id))['total']).to.deep.equal({ '': days.length * 2 + recorded });
    expect(await verifyCounters(service.db, id)).to.deep.equal([]);
    expect(seen).to.deep.equal(seen.toSorted((a, b) => a - b));
  });
});
