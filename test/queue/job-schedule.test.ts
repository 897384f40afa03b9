import { expect } from 'chai';
import { Redis } from 'ioredis';
import { registerSchedule } from '../../src/queue/job-schedule.ts';
import { purgeQueue } from '../../src/queue/purge-queue.ts';
import { connectToQueues, type QueueConnection } from '../../src/queue/queue-connection.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { emptyRedisDatabase } from '../support/queue-engines.ts';
import { testLog } from '../support/test-log.ts';

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

  const next = async () => (await connection.queue(purgeQueue).getJobScheduler(purgeQueue.name))?.next;

  it('is registered again when Redis has lost it, and only then', async () => {
    const lines: string[] = [];
    const log = createLog('test', 'warn', { write: (line) => void lines.push(line) });
    const registered = registerSchedule({ redisUrl, databaseUrl: '' }, purgeQueue, log, { lookEveryMs: 20 });
    await eventually(async () => expect(await next()).to.be.a('number'));
    for (let times = 1; times <= 2; times += 1) {
      const redis = new Redis(redisUrl);
      await redis.flushdb();
      redis.disconnect();
      await eventually(async () => expect(await next()).to.be.a('number'));
      expect(lines.filter((line) => line.includes('has lost its schedule'))).to.have.length(times);
    }
    await registered.close();
  });
});
