import { expect } from 'chai';
import { Scan } from '../../src/scans/scan.ts';
import { createWorkerMetrics } from '../../src/telemetry/worker-metrics.ts';
import { createRecordingAudit } from '../../workers/recording-audit.ts';
import { apiClient } from '../support/api-client.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';

describe('The audit of recorded scans', () => {
  let service: TestService;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('finds what is in the database, misses what was rolled back, and passes over deleted codes', async () => {
    const api = apiClient(service.url, await service.makeKey());
    const kept = await createCode(api);
    const deleted = await createCode(api);
    const now = new Date().toISOString();
    const recorded = [scanRow(kept.id, now), scanRow(kept.id, now)];
    await Scan.record(service.db, recorded);
    const rolledBack = [scanRow(kept.id, now)];
    await service.db
      .transaction(async (trx) => {
        await Scan.record(trx, rolledBack);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await api(`/qrcodes/${deleted.id}?permanently=true`, { method: 'DELETE' });

    const metrics = createWorkerMetrics();
    const audit = createRecordingAudit(service.db, metrics, testLog());
    for (const row of [...recorded, ...rolledBack, scanRow(deleted.id, now)]) audit.note([row]);
    await audit.check();
    expect({ ...metrics.scansAudited }).to.include({ found: 3, missing: 1 });
    // Each is looked up once.
    await audit.check();
    expect({ ...metrics.scansAudited }).to.include({ found: 3, missing: 1 });
  });

  it('looks up a bounded number, however many were recorded', async () => {
    const { id } = await createCode(apiClient(service.url, await service.makeKey()));
    const metrics = createWorkerMetrics();
    const audit = createRecordingAudit(service.db, metrics, testLog());
    for (let batch = 0; batch < 1_000; batch += 1) audit.note([scanRow(id, new Date().toISOString())]);
    await audit.check();
    expect(metrics.scansAudited.missing).to.equal(200);
  });
});
