import { createPostgresBackend, Job, Worker, withBackend } from 'bullmq';
import { expect } from 'chai';
import { Redis, SentinelConnector } from 'ioredis';
import { connectToQueues } from '../../src/queue/queue-connection.ts';
import { mailQueue } from '../../src/queue/mail-queue.ts';
import { eventually } from '../support/eventually.ts';
import { emptyRedisDatabase, onBothQueues, useQueues } from '../support/queue-engines.ts';
import { testLog } from '../support/test-log.ts';

// docs/development.md lists them. After an update that changes one, look at its use there.
describe('Private members of BullMQ and ioredis that we use', () => {
  it('exist: the methods of a worker that ours overrides', () => {
    for (const Base of [Worker, withBackend(createPostgresBackend).Worker]) {
      expect(Base.prototype, Base.name).to.respondTo('moveToActive');
      expect(Base.prototype, Base.name).to.respondTo('delay');
      expect(Base.prototype, Base.name).to.respondTo('close');
    }
    expect(Job.prototype).to.respondTo('moveToDelayed');
  });

  it('exist: how the client for sentinels asks, and listens for a new primary', () => {
    const connector = new SentinelConnector({
      sentinels: [{ host: '127.0.0.1', port: 1 }],
      name: 'primary',
    });
    expect(connector).to.respondTo('connectToSentinel');
    expect(connector).to.have.property('failoverDetector', null);
    expect(connector).to.respondTo('connect');
  });

  it('exist: the socket of a client, for the second error of a rejected certificate', async function () {
    const url = await emptyRedisDatabase();
    if (!url) return this.skip();
    const redis = new Redis(url);
    await redis.ping();
    expect((redis as { stream?: object }).stream).to.respondTo('on');
    redis.disconnect();
  });

  it('are named so: the lists of a queue, by which we see whether it has jobs without creating it', async function () {
    const url = await emptyRedisDatabase();
    if (!url) return this.skip();
    const connection = connectToQueues({ redisUrl: url, databaseUrl: '' }, testLog());
    await eventually(() => expect(connection.isReady()).to.equal(true));
    const redis = new Redis(url);
    const queue = connection.queue(mailQueue);
    const data = { id: 'a', kind: 'test', sealed: '' };
    const { id } = await queue.add('send', data);
    expect(await redis.exists('bull:mail:wait', `bull:mail:${id}`)).to.equal(2);
    await queue.add('send', data, { delay: 60_000 });
    expect(await redis.exists('bull:mail:delayed')).to.equal(1);
    await queue.pause();
    expect(await redis.exists('bull:mail:wait', 'bull:mail:paused')).to.equal(1);
    redis.disconnect();
    await connection.close();
  });
});

onBothQueues('What BullMQ does not promise', (redisUrl) => {
  const { connection } = useQueues(redisUrl);

  it('holds: the id of a scheduled job ends in the time at which it is due', async () => {
    const queue = connection().queue(mailQueue);
    const before = Date.now();
    await queue.upsertJobScheduler('yearly', { pattern: '0 0 1 1 *' }, { name: 'send', data: {} as never });
    const [job] = await queue.getJobs(['delayed'], 0, 0);
    expect(job?.repeatJobKey).to.equal('yearly');
    const dueAt = Number(/^repeat:yearly:(\d+)$/.exec(job?.id ?? '')?.[1]);
    expect(dueAt).to.be.above(before);
    expect((await queue.getJobScheduler('yearly'))?.next).to.equal(dueAt);
    await queue.removeJobScheduler('yearly');
  });

  it('holds: removing a deduplication key that is not there changes nothing, and is a write', async () => {
    expect(await connection().queue(mailQueue).removeDeduplicationKey('write-check')).to.equal(0);
    await connection().write(mailQueue);
  });
});
