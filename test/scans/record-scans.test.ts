import { expect } from 'chai';
import { Scan, type ScanRow } from '../../src/scans/scan.ts';
import { apiClient } from '../support/api-client.ts';
import { countersOf, iPhoneCounters } from '../support/counters.ts';
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
