import { expect } from 'chai';
import { Redis } from 'ioredis';
import { loadSecrets } from '../../src/accounts/secrets.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { packScans } from '../../src/queue/scan-jobs.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { waitUntilReady } from '../../src/queue/queue-connection.ts';
import { newScanId } from '../../src/scans/scan-id.ts';
import { Scan } from '../../src/scans/scan.ts';
import { apiClient } from '../support/api-client.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';

onBothQueues('qrelay backup check', (redisUrl) => {
  let service: TestService;
  let codeId: string;
  beforeEach(async () => {
    const url = redisUrl();
    if (url) {
      const redis = new Redis(url);
      await redis.flushdb();
      redis.disconnect();
    }
    service = await startService({ redisUrl: redisUrl() });
    codeId = (await createCode(apiClient(service.url, await service.makeKey()))).id;
    const anHourAgo = new Date(Date.now() - 3 * 3_600_000).toISOString();
    await Scan.record(service.db, [scanRow(codeId, anHourAgo), scanRow(codeId, anHourAgo)]);
  });
  afterEach(() => service.stop());

  async function check(settings: Record<string, string> = {}) {
    const { code, stdout, stderr } = await runQrelayHere(['backup', 'check', '--json'], {
      DATABASE_URL: service.databaseUrl,
      REDIS_URL: redisUrl() ?? '',
      ...settings,
    });
    expect(stderr).to.equal('');
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
    expect(code).to.equal(ok ? 0 : 1);
    for (const { state, remedy } of findings) expect(remedy === undefined).to.equal(state === 'ok');
    const texts = findings.map(({ subject, state, finding }) => `${subject} ${state}: ${finding}`);
    return { ok, findings, texts, failures: findings.filter(({ state }) => state === 'failure') };
  }

  async function enqueue(scannedCode: string, key: Buffer): Promise<void> {
    const queue = openQueueClient({
      place: { databaseUrl: service.databaseUrl, redisUrl: redisUrl() },
      log: testLog(),
    });
    await waitUntilReady(queue);
    const scan = { id: newScanId(Date.now()), codeId: scannedCode, userAgent: '', address: '81.2.69.142' };
    await queue.add(scanQueue, packScans([scan], key));
    await queue.close();
  }

  it('reports size, archive, secret, spool, the newest scan and a sample of the counters, and changes nothing', async () => {
    const { ok, texts } = await check();
    expect(ok).to.equal(true);
    const where = redisUrl()
      ? 'in Redis; a backup of PostgreSQL does not contain them'
      : 'in PostgreSQL, and a backup of it contains them';
    for (const pattern of [
      /^backup ok: The database takes \d+ MB\.$/,
      /^backup warning: The WAL is not archived \(archive_mode is off, wal_level replica\)/,
      /^backup warning: This role may not see when the last base backup was taken\.$/,
      /^secret ok: The root secret is in the database \(fingerprint [0-9a-f]{8}\)/,
      /^data ok: All migrations are applied\.$/,
      /^data ok: Scans have partitions until /,
      /^data ok: The newest recorded scan is 3 hours old \(.*Z\)\.$/,
      /^data ok: The counters agree with the scans in a sample of 1 code and 1 day\./,
      /^data ok: All sequences are ahead of their tables\.$/,
      /^data ok: No deleted code waits to be purged\.$/,
      new RegExp(`^queue ok: 0 jobs of scans wait ${where}\\.$`),
      /^spool ok: The spool is empty\.$/,
    ])
      expect(
        texts.filter((text) => pattern.test(text)),
        String(pattern),
      ).to.have.length(1);
    const { stdout } = await runQrelayHere(['backup', 'check'], { DATABASE_URL: service.databaseUrl });
    expect(stdout).to.match(/^backup\n {2}✓ ok {7}The database takes/);
    expect(stdout).to.not.include(new URL(service.databaseUrl).password);
  });

  it('fails for counters that differ from the scans, and for a sequence behind its table; the remedies work', async () => {
    await service.db('scan_counters').where({ qr_code_id: codeId, dimension: 'total' }).update({ count: 9 });
    await service.db.raw(
      `INSERT INTO dead_scans (id, scan_id, job, reason) OVERRIDING SYSTEM VALUE VALUES (1000, 'x', '{}', 'test')`,
    );
    const { failures } = await check();
    expect(failures.map(({ finding }) => finding)).to.deep.equal([
      '1 counter differs from the scans in a sample of 1 code and 1 day: analytics are wrong.',
      'The sequence of public.dead_scans.id is behind the table: inserts fail.',
    ]);
    await runQrelayHere(['counters', 'rebuild'], { DATABASE_URL: service.databaseUrl });
    await service.db.raw(/`(.+)`/.exec(failures[1]?.remedy ?? '')?.[1] ?? '');
    expect((await check()).failures).to.deep.equal([]);
  });

  it('warns of deleted codes that wait, and of jobs whose code the database does not have', async () => {
    const { sealingKey } = await loadSecrets(service.db);
    const [gone, deleted] = ['019a0000-0000-7000-8000-000000000001', '019a0000-0000-7000-8000-000000000002'];
    await service.db('deleted_codes').insert({ id: deleted });
    for (const id of [codeId, gone, gone, deleted, 'not an id']) await enqueue(id, sealingKey);
    const { texts } = await check();
    expect(texts).to.include('data warning: 1 deleted code waits to be purged.');
    expect(texts).to.include(
      'queue warning: 2 of 5 scans in a sample of the jobs belong to 1 code that the database does not have: workers discard them, like scans of deleted codes.',
    );
  });

  it('fails for jobs that cannot be decrypted with the secrets here', async () => {
    const secret = 'x'.repeat(32);
    const { sealingKey } = await loadSecrets(service.db, [secret]);
    await enqueue(codeId, sealingKey);
    const { failures } = await check();
    expect(failures.map(({ finding }) => finding)).to.deep.equal([
      '1 of 1 job in a sample cannot be decrypted with the secrets here: their scans wait, and fail after a day.',
    ]);
    expect((await check({ QRELAY_SECRET: secret })).failures).to.deep.equal([]);
  });

  it('says so if the database cannot be reached or a variable is invalid, and reports the spool all the same', async () => {
    const { failures, texts } = await check({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    expect(failures.map(({ subject }) => subject)).to.deep.equal(['backup']);
    expect(texts.at(-1)).to.equal('spool ok: The spool is empty.');
    const invalid = await check({ QRELAY_SECRET: 'short' });
    expect(invalid.failures.map(({ subject }) => subject)).to.deep.equal(['configuration']);
    expect(invalid.texts).to.include('backup warning: Not checked: QRELAY_SECRET is invalid.');
  });
});
