import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { connectToQueues, waitUntilReady } from '../../src/queue/queue-connection.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { loadSecrets } from '../../src/accounts/secrets.ts';
import { listScans, packScans, type RawScan, type ScanJob } from '../../src/queue/scan-jobs.ts';
import { newScanId } from '../../src/scans/scan-id.ts';
import { openWorkerService } from '../../workers/worker-service.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { countersOf, iPhoneCounters } from '../support/counters.ts';
import { eventually } from '../support/eventually.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, iPhoneSafari } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';

onBothQueues('The worker', (redisUrl) => {
  let service: TestService;
  let api: ApiClient;
  let sealingKey: Buffer;

  before(async () => {
    service = await startService({ worker: true, redisUrl: redisUrl() });
    api = apiClient(service.url, await service.makeKey());
    ({ sealingKey } = await loadSecrets(service.db));
  });
  after(() => service.stop());

  const place = () => ({ databaseUrl: service.databaseUrl, redisUrl: redisUrl() });
  const log = testLog();
  const scanOf = (codeId: string): RawScan => ({
    id: newScanId(Date.now()),
    codeId,
    userAgent: iPhoneSafari,
    address: '81.2.69.142',
  });
  const totalOf = async (codeId: string) => (await countersOf(service.db, codeId))['total']?.[''] ?? 0;
  const deadScans = () =>
    service.db('dead_scans').select('job', 'reason') as Promise<{ job: string; reason: string }[]>;

  async function send(...batches: RawScan[][]): Promise<void> {
    const queue = openQueueClient({ place: place(), log });
    await waitUntilReady(queue);
    for (const batch of batches) await queue.add(scanQueue, packScans(batch, sealingKey));
    await queue.close();
  }

  it('records 499 of 500 scans and makes a dead letter of the one that the database rejects, with the reason', async () => {
    const { id } = await createCode(api);
    const scans = Array.from({ length: 500 }, () => scanOf(id));
    scans[321] = { ...scanOf(id), codeId: 'not a code' };
    await send(scans);
    await eventually(async () => expect(await totalOf(id)).to.equal(499));
    const dead = await eventually(async () => {
      const found = await deadScans();
      expect(found).to.have.length(1);
      return found;
    });
    expect(dead[0]?.reason).to.contain('invalid input syntax for type uuid');
    expect(dead[0]?.job).to.contain('not a code').and.not.contain('81.2.69.142');
  });

  it('lists dead letters for an operator, who can retry them', async () => {
    const settings = { DATABASE_URL: service.databaseUrl, REDIS_URL: redisUrl() ?? '' };
    const listed = await runQrelayHere(['scans', 'dead'], settings);
    expect(listed.code).to.equal(0);
    expect(listed.stdout.trim().split('\n')).to.have.length(1);
    expect(listed.stdout).to.contain('not a code');

    // The operator fixes the cause.
    const { id } = await createCode(api);
    const [dead] = await deadScans();
    await service.db('dead_scans').update({ job: dead?.job.replace('not a code', id) });
    const retried = await runQrelayHere(['scans', 'retry'], settings);
    expect(retried).to.include({ code: 0, stdout: '' });
    expect(retried.stderr).to.contain('1 scan is back in the queue');
    await eventually(async () => expect(await totalOf(id)).to.equal(1));
    expect(await deadScans()).to.deep.equal([]);
  });

  it('drops the scans of a deleted code and records the others of the batch', async () => {
    const kept = await createCode(api);
    const deleted = await createCode(api);
    await api(`/qrcodes/${deleted.id}?permanently=true`, { method: 'DELETE' });
    await send([scanOf(deleted.id), scanOf(kept.id), scanOf(deleted.id)]);
    await eventually(async () => expect(await totalOf(kept.id)).to.equal(1));
    expect(await deadScans()).to.deep.equal([]);
  });

  it('keeps one dead letter when its job is delivered twice', async () => {
    const { id } = await createCode(api);
    const bad = { ...scanOf(id), codeId: 'not a code either' };
    await send([scanOf(id), bad], [scanOf(id), bad]);
    await eventually(async () => expect(await totalOf(id)).to.equal(2));
    const kept = async () => (await deadScans()).filter(({ job }) => job.includes('not a code either'));
    await eventually(async () => expect(await kept()).to.have.length(1));
    await send([bad, scanOf(id)]);
    await eventually(async () => expect(await totalOf(id)).to.equal(3));
    expect(await kept()).to.have.length(1);
    await service.db('dead_scans').delete();
  });

  it('records scans whose root secret is lost without their place, when an operator says so', async () => {
    const { id } = await createCode(api);
    // Older than a day: until then the job would wait for the secret.
    const scans = [{ ...scanOf(id), id: newScanId(Date.now() - 25 * 3_600_000) }, scanOf(id)];
    const connection = connectToQueues(place(), log);
    const queue = await eventually(() => connection.queue(scanQueue));
    const failed = async () => expect(await queue.getFailedCount()).to.equal(2);
    for (const key of [randomBytes(32), randomBytes(32)])
      await queue.add(scanQueue.jobName, packScans(scans, key), { attempts: 1 });
    await eventually(failed);
    const env = { DATABASE_URL: service.databaseUrl, REDIS_URL: redisUrl() ?? '' };
    const { stderr } = await runQrelayHere(['queue', 'retry', '--without-addresses'], env);
    expect(stderr).to.match(/^2 jobs lost the addresses/);
    await eventually(async () => expect(await totalOf(id)).to.equal(2));
    expect(await countersOf(service.db, id)).to.deep.include({ country: { ZZ: 2 }, os: { iOS: 2 } });
    await connection.close();
  });

  it('does not wait for a code that another transaction has locked', async () => {
    const locked = await createCode(api);
    const other = await createCode(api);
    await service.db.transaction(async (holder) => {
      await holder('qr_codes').where({ id: locked.id }).forUpdate();
      await send([scanOf(locked.id), scanOf(other.id)], [scanOf(locked.id)]);
      await eventually(async () => expect(await totalOf(locked.id)).to.equal(2));
      expect(await totalOf(other.id)).to.equal(1);
    });
  });

  it('records the scans of other codes while a counter of one code is locked', async () => {
    const locked = await createCode(api);
    const others = await Promise.all([1, 2, 3].map(() => createCode(api)));
    await send([scanOf(locked.id)]);
    await eventually(async () => expect(await totalOf(locked.id)).to.equal(1));
    await service.db.transaction(async (holder) => {
      await holder('scan_counters').where({ qr_code_id: locked.id }).forUpdate();
      await send([scanOf(locked.id), ...others.map(({ id }) => scanOf(id))]);
      for (const { id } of others) await eventually(async () => expect(await totalOf(id)).to.equal(1));
      // What is recorded is not delivered again.
      const connection = connectToQueues(place(), log);
      await eventually(async () => {
        const [job] = await connection.queue(scanQueue).getDelayed();
        expect(listScans(job?.data as ScanJob).map(([, codeId]) => codeId)).to.deep.equal([locked.id]);
      });
      await connection.close();
    });
    await eventually(async () => expect(await totalOf(locked.id)).to.equal(2));
  });

  it('waits without using up an attempt while the database takes no writes', async () => {
    const { id } = await createCode(api);
    await service.db.raw('ALTER TABLE scans RENAME TO scans_away');
    try {
      await send([scanOf(id)]);
      const queue = connectToQueues(place(), log);
      await eventually(async () => {
        const [job] = await queue.queue(scanQueue).getDelayed();
        expect(job?.attemptsStarted).to.be.at.least(3);
        expect(job?.attemptsMade).to.equal(0);
      });
      await queue.close();
    } finally {
      await service.db.raw('ALTER TABLE scans_away RENAME TO scans');
    }
    await eventually(async () => expect(await totalOf(id)).to.equal(1));
  });

  it('counts 10,000 scans of one code from two workers exactly, without a deadlock', async () => {
    const { id } = await createCode(api);
    const second = await openWorkerService(place(), log);
    const batches = Array.from({ length: 40 }, () => Array.from({ length: 250 }, () => scanOf(id)));
    await send(...batches);
    await eventually(async () => expect(await totalOf(id)).to.be.at.least(10_000), 30_000);
    expect(await countersOf(service.db, id)).to.deep.equal(iPhoneCounters(10_000));
    await second.close();
    const { rows } = (await service.db.raw(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    )) as { rows: [{ deadlocks: number }] };
    expect(rows[0].deadlocks).to.equal(0);
  });
});
