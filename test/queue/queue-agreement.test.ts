import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openQueueAgreement, type QueueAgreement, readQueuesInUse } from '../../src/queue/queue-agreement.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { type QueuePlace, waitUntilReady } from '../../src/queue/queue-connection.ts';
import { packScans } from '../../src/queue/scan-jobs.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { redisServerName } from '../../src/store/redis-address.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { emptyRedisDatabase } from '../support/queue-engines.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { testLog } from '../support/test-log.ts';

describe('The agreement on the queue of a database', () => {
  let database: TestDatabase;
  let db: Database;
  let redisUrl: string;
  let otherRedisUrl: string;
  const opened: QueueAgreement[] = [];

  beforeEach(async function () {
    const urls = [await emptyRedisDatabase(), await emptyRedisDatabase()];
    if (!urls[0] || !urls[1]) return this.skip();
    [redisUrl, otherRedisUrl] = urls as [string, string];
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
  });
  afterEach(async () => {
    for (const agreement of opened.splice(0)) agreement.close();
    await db?.destroy();
    await database?.drop();
  });

  const placeOf = (url: string | undefined): QueuePlace => ({ redisUrl: url, databaseUrl: database.url });
  /** As a process does at its start. */
  async function start(url: string | undefined, checkEveryMs?: number): Promise<QueueAgreement> {
    const agreement = await openQueueAgreement({
      db,
      place: placeOf(url),
      log: testLog(),
      retryEveryMs: 20,
      ...(checkEveryMs !== undefined && { checkEveryMs }),
    });
    opened.push(agreement);
    return agreement;
  }
  const refusal = (url: string | undefined) =>
    start(url).then(
      () => 'started',
      (error: Error) => error.message,
    );
  const qrelay = (url: string | undefined, ...args: string[]) =>
    runQrelayHere(args, { DATABASE_URL: database.url, ...(url !== undefined && { REDIS_URL: url }) });
  const flush = async (url: string) => {
    const redis = new Redis(url);
    await redis.flushdb();
    redis.disconnect();
  };

  async function hangingProxyOf(url: string) {
    const port = Number(new URL(url).port);
    const proxy = await startTcpProxy(port);
    proxy.forwardTo(undefined);
    return {
      url: url.replace(/:\d+/, `:${proxy.port}`),
      goOn: () => proxy.forwardTo(port),
      stop: proxy.stop,
    };
  }

  it('is what the first process uses; others start with the same only, and are told both', async () => {
    expect((await start(redisUrl)).isAgreed()).to.equal(true);
    expect((await start(redisUrl)).isAgreed()).to.equal(true);
    const { port } = new URL(redisUrl);
    expect(await refusal(undefined))
      .to.include(`on Redis at 127.0.0.1:${port}`)
      .and.include('PostgreSQL, because REDIS_URL is not set')
      .and.include('qrelay queue use');
    expect(await refusal(otherRedisUrl)).to.include(`would use Redis at ${redisServerName(otherRedisUrl)},`);
  });

  it('is on PostgreSQL where the first process had no REDIS_URL', async () => {
    await start(undefined);
    expect((await start(undefined)).isAgreed()).to.equal(true);
    expect(await refusal(redisUrl)).to.include('on PostgreSQL, and this one would use Redis at');
  });

  it('is one, when processes with different settings start at once', async () => {
    const outcomes = await Promise.all(
      [redisUrl, undefined, otherRedisUrl, redisUrl, undefined].map(refusal),
    );
    expect(outcomes.filter((outcome) => outcome === 'started')).to.have.length.within(1, 2);
  });

  it('has no user or password in it', async () => {
    await start(redisUrl.replace('redis://', 'redis://:@'));
    expect(JSON.stringify(await readQueuesInUse(db))).to.not.match(/@|redis:\/\//);
  });

  it('holds for another name of the same Redis, and for a Redis that lost its data', async () => {
    await start(redisUrl);
    const renamed = redisUrl.replace('127.0.0.1', 'localhost');
    expect(await refusal(renamed)).to.equal('started');
    await flush(redisUrl);
    expect(await refusal(renamed)).to.equal('started');
    expect(await refusal(redisUrl)).to.equal('started');
  });

  it('names a Redis again that lost its data while processes run', async () => {
    const { current } = await start(redisUrl, 20).then(() => readQueuesInUse(db));
    await flush(redisUrl);
    const redis = new Redis(redisUrl);
    await eventually(async () => expect(await redis.get('bull:scans:identity')).to.equal(current?.identity));
    redis.disconnect();
  });

  it('lets a process start while Redis cannot be reached, holds its jobs back, and then decides', async () => {
    await start(redisUrl);
    const proxy = await hangingProxyOf(redisUrl);
    const same = await start(proxy.url);
    expect(same.isAgreed()).to.equal(false);
    proxy.goOn();
    await eventually(() => expect(same.isAgreed()).to.equal(true));
    await proxy.stop();
  });

  it('holds back the jobs of a process that found only later that its Redis is another one', async () => {
    await start(redisUrl);
    const proxy = await hangingProxyOf(otherRedisUrl);
    const agreement = await start(proxy.url);
    proxy.goOn();
    await eventually(() => expect(agreement.reason().message).to.include('have their queue on'));
    expect(agreement.isAgreed()).to.equal(false);
    await proxy.stop();
  });

  it('is not changed by commands: they refuse as well, and so does migrate', async () => {
    await start(redisUrl);
    for (const command of [['queue', 'failed'], ['scans', 'retry'], ['migrate']]) {
      const { code, stderr } = await qrelay(undefined, ...command);
      expect(code, command.join(' ')).to.equal(1);
      expect(stderr).to.include('have their queue on Redis at');
    }
    expect((await qrelay(redisUrl, 'migrate')).code).to.equal(0);
    expect((await qrelay(redisUrl, 'queue', 'failed')).code).to.equal(0);
  });

  it('is moved by a command: both queues may be used until the earlier one is empty', async () => {
    const running = await start(undefined, 20);
    const early = await qrelay(redisUrl, 'queue', 'finish');
    expect(early.stderr).to.include('no move to finish');
    const moved = await qrelay(redisUrl, 'queue', 'use');
    expect(moved.code, moved.stderr).to.equal(0);
    expect(moved.stderr).to.include('The queue is on Redis at').and.include('queue finish');
    expect(await refusal(redisUrl)).to.equal('started');
    expect(await refusal(undefined)).to.equal('started');
    expect((await qrelay(otherRedisUrl, 'queue', 'use')).stderr).to.include('is not finished');

    const queue = openQueueClient({ place: placeOf(undefined), log: testLog() });
    await waitUntilReady(queue);
    const scan = { id: 'id', codeId: 'code', userAgent: 'agent', address: '192.0.2.1' };
    await queue.add(scanQueue, packScans([scan], Buffer.alloc(32)));
    await queue.close();
    expect((await qrelay(redisUrl, 'queue', 'finish')).stderr).to.include('without REDIS_URL');
    expect((await qrelay(undefined, 'queue', 'finish')).stderr).to.include('still has 1 jobs');
    expect((await qrelay(undefined, 'queue', 'finish', '--lost')).code).to.equal(0);
    expect(await refusal(undefined)).to.include('have their queue on Redis at');
    // It adds nothing any more to a queue that nobody empties.
    await eventually(() => expect(running.isAgreed()).to.equal(false));
  });

  it('can be moved back before the move is finished', async () => {
    await start(redisUrl);
    expect((await qrelay(otherRedisUrl, 'queue', 'use')).code).to.equal(0);
    expect((await qrelay(redisUrl, 'queue', 'use')).code).to.equal(0);
    expect((await qrelay(otherRedisUrl, 'queue', 'finish')).code).to.equal(0);
    expect(await refusal(otherRedisUrl)).to.include('which is another server');
    expect(await refusal(redisUrl)).to.equal('started');
  });

  it('is reported by the doctor', async () => {
    await start(redisUrl);
    const findings = async (url: string | undefined) => (await qrelay(url, 'doctor')).stdout;
    expect(await findings(redisUrl)).to.match(
      /✓ ok +The processes of this database have their queue on Redis/,
    );
    expect(await findings(undefined)).to.match(
      /✗ failure +The processes of this database have their queue on/,
    );
  });
});
