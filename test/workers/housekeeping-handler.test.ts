import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { periodicQueue } from '../../src/queue/periodic-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { waitUntilReady } from '../../src/queue/queue-connection.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createWorkerMetrics } from '../../src/telemetry/worker-metrics.ts';
import { createSecretBox } from '../../src/webhooks/signing.ts';
import { createHousekeepingHandler } from '../../workers/housekeeping.ts';
import { eventually } from '../support/eventually.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { startService, type TestService } from '../support/service.ts';
import { testLog } from '../support/test-log.ts';

onBothQueues('Housekeeping', (redisUrl) => {
  let service: TestService;

  before(async () => {
    service = await startService({ worker: true, redisUrl: redisUrl() });
  });
  after(() => service.stop());

  it('deletes what has expired and nothing else, also when its job is delivered twice', async () => {
    const queue = openQueueClient({
      place: { databaseUrl: service.databaseUrl, redisUrl: redisUrl() },
      log: testLog(),
    });
    await waitUntilReady(queue);
    const isIdle = () => eventually(async () => expect(await queue.pending(periodicQueue)).to.equal(0));
    await isIdle();
    const row = (subject: string, ago: string) => ({
      subject,
      recent: service.db.raw(`ARRAY[now() - interval '${ago}']`),
      admitted: true,
      checked_at: service.db.raw(`now() - interval '${ago}'`),
    });
    await service
      .db('request_windows')
      .insert([row('address:silent', '61 minutes'), row('address:recent', '1 minute')]);
    const { id } = await findOrCreateUser(service.db, 'linked@example.com', new Date());
    await service.db('sign_in_links').insert({
      user_id: id,
      token_hash: Buffer.alloc(32),
      password_digest: Buffer.alloc(32),
      expires_at: new Date(Date.now() - 1_000),
    });
    const response = (hoursAgo: number) => ({
      user_id: id,
      key_hash: Buffer.from([hoursAgo]),
      request_hash: Buffer.alloc(32),
      sealed: Buffer.alloc(32),
      created_at: new Date(Date.now() - hoursAgo * 3_600_000),
    });
    await service.db('idempotent_responses').insert([response(23), response(25)]);
    await service.db.raw(
      `INSERT INTO process_samples (process_id, since, until, counts)
       VALUES (gen_random_uuid(), now() - interval '3 hours', now() - interval '2 hours', '{}')`,
    );
    const [past, future] = [new Date(Date.now() - 1_000), new Date(Date.now() + 60_000)];
    const { id: other } = await findOrCreateUser(service.db, 'other@example.com', new Date());
    await service.db('email_confirmations').insert([
      { user_id: id, email: 'old@example.com', expires_at: past },
      { user_id: other, email: 'new@example.com', expires_at: future },
    ]);
    await service.db('sign_in_challenges').insert([
      { token_hash: Buffer.from([1]), expires_at: past },
      { token_hash: Buffer.from([2]), expires_at: future },
    ]);
    await service.db('sent_mails').insert([
      { id: 'old', sent_at: new Date(Date.now() - 91 * 86_400_000) },
      { id: 'new', sent_at: past },
    ]);
    await queue.add({ ...periodicQueue, jobName: 'housekeeping' }, {});
    await queue.add({ ...periodicQueue, jobName: 'housekeeping' }, {});
    await eventually(async () =>
      expect(await service.db('request_windows').pluck('subject')).to.deep.equal(['address:recent']),
    );
    await eventually(async () => {
      expect(await service.db('sign_in_links')).to.deep.equal([]);
      const kept = await service.db('idempotent_responses').pluck('key_hash');
      expect(kept).to.deep.equal([Buffer.from([23])]);
      expect(await service.db('email_confirmations').pluck('email')).to.deep.equal(['new@example.com']);
      expect(await service.db('sign_in_challenges').pluck('token_hash')).to.deep.equal([Buffer.from([2])]);
      expect(await service.db('sent_mails').pluck('id')).to.deep.equal(['new']);
      const old = service.db('process_samples').whereRaw("until < now() - interval '90 minutes'");
      expect(await old).to.deep.equal([]);
    });
    const scheduled = Object.keys(periodicQueue.schedules ?? {}).length;
    await eventually(async () => {
      const depth = (await queue.depths()).find((one) => one.queue === periodicQueue.name);
      expect(depth?.jobs).to.deep.equal({ waiting: 0, active: 0, delayed: 0, scheduled, failed: 0 });
    });
    await queue.close();
  });

  async function runWithFailure(error: Error & { code?: string }) {
    const lines: string[] = [];
    const done: string[] = [];
    const note = (name: string) => async () => void done.push(name);
    const metrics = createWorkerMetrics();
    const db = new Proxy(service.db, {
      get(target, name, self) {
        if (name !== 'raw') return Reflect.get(target, name, self) as unknown;
        return (sql: string, values: never) => {
          if (sql.includes("'code.expiring'")) throw error;
          return target.raw(sql, values) as unknown;
        };
      },
    });
    const handle = createHousekeepingHandler({
      db,
      box: createSecretBox([randomBytes(32)]),
      historyRetentionMonths: 24,
      tellOwners: note('webhooks'),
      exportUpkeep: { resume: note('lost exports'), tellOwners: note('finished exports') },
      metrics,
      log: createLog('test', 'warn', { write: (line) => void lines.push(line) }),
    });
    let failure: string | undefined;
    try {
      await handle({ isOver: () => false });
    } catch (thrown) {
      failure = String(thrown);
    }
    const { values } = await metrics.stepFailures.get();
    return {
      done,
      failure,
      steps: lines.map((line) => (JSON.parse(line) as { step: string }).step),
      counted: values.map(({ labels, value }) => [labels.step, value]),
    };
  }
  const afterThat = ['webhooks', 'lost exports', 'finished exports'];

  it('goes on where a statement takes too long', async () => {
    const canceled = new Error('canceling statement due to statement timeout');
    expect(await runWithFailure(Object.assign(canceled, { code: '57014' }))).to.deep.equal({
      done: afterThat,
      failure: undefined,
      steps: ['expiringEvents'],
      counted: [['expiringEvents', 1]],
    });
  });

  it('goes on where a step fails, and says at the end which one', async () => {
    const broken = new Error('relation is broken');
    expect(await runWithFailure(Object.assign(broken, { code: 'XX001' }))).to.deep.equal({
      done: afterThat,
      failure: 'Error: Failed: expiringEvents',
      steps: ['expiringEvents'],
      counted: [['expiringEvents', 1]],
    });
  });
});
