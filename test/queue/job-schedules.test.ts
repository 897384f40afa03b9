import { expect } from 'chai';
import { Redis } from 'ioredis';
import { registerSchedules } from '../../src/queue/job-schedules.ts';
import { periodicJobs, periodicQueue, retiredQueues } from '../../src/queue/periodic-queue.ts';
import { connectToQueues, type QueueConnection } from '../../src/queue/queue-connection.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { emptyRedisDatabase, onBothQueues, useQueues } from '../support/queue-engines.ts';
import { testLog } from '../support/test-log.ts';

const namesIn = async (connection: QueueConnection) =>
  (await connection.queue(periodicQueue).getJobSchedulers()).map(({ key }) => key);

describe('A schedule on Redis', () => {
  let redisUrl: string;
  let connection: QueueConnection;

  before(async function () {
    const url = await emptyRedisDatabase();
    if (!url) return this.skip();
    redisUrl = url;
    connection = connectToQueues({ redisUrl, databaseUrl: '' }, testLog());
    await eventually(() => expect(connection.isReady()).to.equal(true));
  });
  after(() => connection?.close());

  it('is registered again when Redis has lost it, and only then', async () => {
    const lines: string[] = [];
    const log = createLog('test', 'warn', { write: (line) => void lines.push(line) });
    const place = { redisUrl, databaseUrl: '' };
    const registered = registerSchedules(place, periodicQueue, log, { lookEveryMs: 20 });
    const all = Object.keys(periodicJobs);
    await eventually(async () => expect(await namesIn(connection)).to.have.members(all));
    for (let times = 1; times <= 2; times += 1) {
      const redis = new Redis(redisUrl);
      await redis.flushdb();
      redis.disconnect();
      await eventually(async () => expect(await namesIn(connection)).to.have.members(all));
      expect(lines.filter((line) => line.includes('has lost its schedule'))).to.have.length(times);
    }
    await registered.close();
  });
});

onBothQueues('The queues of release 0.2 for single periodic jobs', (redisUrl) => {
  const { place, connection } = useQueues(redisUrl);

  it('lose their schedules and jobs when a worker of this release starts', async () => {
    for (const old of retiredQueues) {
      const queue = connection().queue(old);
      await queue.upsertJobScheduler(old.name, { pattern: '0 0 1 1 *' }, { name: 'run', data: {} });
      await queue.add('run', {});
      await queue.add('run', {}, { delay: 3_600_000 });
      expect(await connection().hasJobs(old)).to.equal(true);
    }
    const registered = registerSchedules(place(), periodicQueue, testLog(), { retired: retiredQueues });
    await eventually(async () => {
      for (const old of retiredQueues) {
        expect(await connection().queue(old).getJobSchedulers(), old.name).to.deep.equal([]);
        expect(await connection().hasJobs(old), old.name).to.equal(false);
      }
    });
    await registered.close();
    expect(await namesIn(connection())).to.have.members(Object.keys(periodicJobs));
  });
});

onBothQueues('A schedule', (redisUrl) => {
  const { place, connection } = useQueues(redisUrl);

  it('begins with a run, and keeps the time of the next one when a worker starts again', async () => {
    const daily = {
      ...periodicQueue,
      name: 'daily',
      schedules: { first: { every: 86_400_000, data: {} }, last: { every: 86_400_000, data: {} } },
    };
    /** As a worker does at its start, in this order. Returns when the next run of the first one is due. */
    async function dueAfterStart(): Promise<number | undefined> {
      const queue = connection().queue(daily);
      await queue.removeJobScheduler('last');
      const registered = registerSchedules(place(), daily, testLog());
      await eventually(async () => expect(await queue.getJobScheduler('last')).to.include({ key: 'last' }));
      await registered.close();
      return (await queue.getJobScheduler('first'))?.next;
    }
    const before = Date.now();
    const due = await dueAfterStart();
    expect(due).to.be.within(before - 1_000, Date.now());
    expect(await dueAfterStart()).to.equal(due);
  });
});
