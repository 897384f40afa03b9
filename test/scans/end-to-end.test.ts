import { expect } from 'chai';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { loadSecrets } from '../../src/accounts/secrets.ts';
import { packScans } from '../../src/queue/scan-jobs.ts';
import { newScanId } from '../../src/scans/scan-id.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { countersOf, iPhoneCounters } from '../support/counters.ts';
import { eventually } from '../support/eventually.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { iPhoneRankings, iPhoneValues } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, iPhoneSafari, openShare } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';

onBothQueues('A scan, end to end', (redisUrl) => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService({ worker: true, redisUrl: redisUrl(), config: { trustProxyHops: 1 } });
    api = apiClient(service.url, await service.makeKey());
  });
  after(() => service.stop());

  const scansOf = async (id: string) =>
    ((await service.db('scans').where({ qr_code_id: id }).count('* as count')) as [{ count: number }])[0]
      .count;

  const place = () => ({ databaseUrl: service.databaseUrl, redisUrl: redisUrl() });

  /** Whatever else was sent would be recorded by now. */
  async function nothingPending(): Promise<void> {
    const queue = openQueueClient({ place: place(), log: testLog() });
    await eventually(async () => expect(await queue.pending(scanQueue)).to.equal(0));
    await queue.close();
  }

  it('made with an iPhone in St Albans is in the record and in the analytics', async () => {
    const { id, shareToken } = await createCode(api);
    const before = Date.now();
    await openShare(service.url, shareToken, { headers: { 'X-Forwarded-For': '198.51.100.7, 81.2.69.142' } });
    const after = Date.now();
    await eventually(async () => expect(await scansOf(id)).to.equal(1));

    const { body: page } = await api(`/qrcodes/${id}/scans`);
    const [record] = page.data;
    expect(record).to.include({ ...iPhoneValues, qrCodeId: id, city: 'St Albans' });
    expect(record.latitude).to.be.closeTo(51.75, 0.05);
    expect(record.longitude).to.be.closeTo(-0.33, 0.05);
    expect(Date.parse(record.scannedAt)).to.be.within(before, after);

    const { body: analytics } = await api(`/qrcodes/${id}/analytics?days=1`);
    expect(analytics).to.deep.include({
      totalScans: 1,
      uniqueCountries: 1,
      uniqueCities: 1,
      ...iPhoneRankings(1),
    });
    expect((await api(`/qrcodes/${id}`)).body.scanCount).to.equal(1);
  });

  it('is counted for each GET, and not for HEAD, a prefetch, a crawler, or an expired or private code', async () => {
    const { id, shareToken } = await createCode(api);
    await openShare(service.url, shareToken, { method: 'HEAD' });
    await openShare(service.url, shareToken, { headers: { 'Sec-Purpose': 'prefetch' } });
    await openShare(service.url, shareToken, { headers: { 'User-Agent': 'Twitterbot/1.0' } });
    const ended = await createCode(api);
    await api(`/qrcodes/${ended.id}`, { method: 'PATCH', body: { expiresAt: '2020-01-01T00:00:00Z' } });
    await openShare(service.url, ended.shareToken);
    const hidden = await createCode(api);
    await api(`/qrcodes/${hidden.id}`, { method: 'PATCH', body: { isPublic: false } });
    await openShare(service.url, hidden.shareToken);
    await Promise.all(Array.from({ length: 25 }, () => openShare(service.url, shareToken)));
    await eventually(async () => expect(await scansOf(id)).to.be.at.least(25));
    await nothingPending();
    expect(await scansOf(id)).to.equal(25);
    expect(await scansOf(ended.id)).to.equal(0);
    expect(await scansOf(hidden.id)).to.equal(0);
  });

  it('is counted once when its job is delivered twice: 1,000 scans, 1,000 in the table and in every counter', async () => {
    const { id } = await createCode(api);
    const { sealingKey } = await loadSecrets(service.db);
    const queue = openQueueClient({ place: place(), log: testLog() });
    const scans = Array.from({ length: 1_000 }, () => ({
      id: newScanId(Date.now()),
      codeId: id,
      userAgent: iPhoneSafari,
      address: '81.2.69.142',
    }));
    const jobs = Array.from({ length: 20 }, (_, index) =>
      packScans(scans.slice(index * 50, index * 50 + 50), sealingKey),
    );
    const last = {
      id: newScanId(Date.now()),
      codeId: (await createCode(api)).id,
      userAgent: '',
      address: '',
    };
    await eventually(() => expect(queue.isReady()).to.equal(true));
    for (const job of [...jobs, ...jobs]) await queue.add(scanQueue, job);
    await queue.add(scanQueue, packScans([last], sealingKey));
    await eventually(async () => expect(await scansOf(last.codeId)).to.equal(1));
    await eventually(async () => expect(await queue.pending(scanQueue)).to.equal(0));
    await queue.close();

    expect(await scansOf(id)).to.equal(1_000);
    expect(await countersOf(service.db, id)).to.deep.equal(iPhoneCounters(1_000));
  });

  it("leaves the client's address in no table", async () => {
    const { id, shareToken } = await createCode(api);
    await openShare(service.url, shareToken, { headers: { 'X-Forwarded-For': '203.0.113.77' } });
    await eventually(async () => expect(await scansOf(id)).to.equal(1));
    const { rows } = (await service.db.raw(`
      SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_schema IN ('public', 'bullmq') AND table_type = 'BASE TABLE'`)) as {
      rows: { name: string }[];
    };
    for (const { name } of rows) {
      const { rows: found } = await service.db.raw(
        `SELECT 1 FROM ${name} AS t WHERE t::text LIKE '%203.0.113.77%'`,
      );
      expect(found, name).to.deep.equal([]);
    }
  });
});
