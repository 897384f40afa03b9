import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openQueueWorker } from '../../src/queue/queue-worker.ts';
import { packScans } from '../../src/queue/scan-jobs.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { openQueueClient, type QueueClient } from '../../src/queue/queue-client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';
import { servers } from '../support/servers.ts';
import { testLog } from '../support/test-log.ts';

const job = packScans(
  [{ id: 'id', codeId: 'code', userAgent: 'agent', address: '192.0.2.1' }],
  randomBytes(32),
);
const log = testLog();

describe('A Redis that responds and refuses', () => {
  let folder: string;
  let redis: RedisServer;
  let admin: Redis;

  before(function () {
    if (!servers().redisUrl) this.skip();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-refusals-'));
  });
  afterEach(async () => {
    admin?.disconnect();
    await redis?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  async function start(settings: string[] = []): Promise<void> {
    redis = (await startOwnRedis(folder, await freePort(), settings)) as RedisServer;
    admin = new Redis(redis.url);
  }
  const isReady = (queue: QueueClient, ready: boolean) =>
    eventually(() => expect(queue.isReady()).to.equal(ready));
  const reasonOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'taken',
      (error: Error) => error.message.split(' ')[0],
    );

  describe('the queue', () => {
    let queue: QueueClient;
    afterEach(() => queue?.close());

    async function open(url = redis.url): Promise<void> {
      queue = openQueueClient({
        place: { redisUrl: url, databaseUrl: '' },
        log,
      });
    }

    it('is not up while Redis is a replica, and is up again after its promotion', async () => {
      await start();
      await open();
      await isReady(queue, true);
      await admin.replicaof('127.0.0.1', await freePort());
      expect(await reasonOf(queue.add(scanQueue, job))).to.not.equal('taken');
      await isReady(queue, false);
      expect(await reasonOf(queue.checkWrites())).to.not.equal('taken');
      await admin.replicaof('NO', 'ONE');
      await isReady(queue, true);
      await queue.add(scanQueue, job);
    });

    it('is not up while Redis is out of memory, and is up again when it has some', async () => {
      await start();
      await open();
      await isReady(queue, true);
      await admin.config('SET', 'maxmemory', '1');
      // A check that began before shares its answer.
      await eventually(async () => expect(await reasonOf(queue.checkWrites())).to.equal('OOM'));
      expect(queue.isReady()).to.equal(false);
      expect(await reasonOf(queue.add(scanQueue, job))).to.equal('OOM');
      // It answers all the same.
      expect(await queue.pending(scanQueue)).to.equal(0);
      await admin.config('SET', 'maxmemory', '0');
      await isReady(queue, true);
      await queue.add(scanQueue, job);
    });

    it('is not up without permission, also from the start, and is up when that was given', async () => {
      await start();
      await admin.call('ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '+@connection');
      await open(redis.url.replace('redis://', 'redis://limited:secret@'));
      await eventually(async () => expect(await reasonOf(queue.checkWrites())).to.equal('NOPERM'));
      expect(queue.isReady()).to.equal(false);
      await admin.call('ACL', 'SETUSER', 'limited', '+@all');
      await isReady(queue, true);
      await queue.add(scanQueue, job);
    });
  });

  describe('the worker', () => {
    const cpuShare = async (pid: number, overMs: number): Promise<number> => {
      const { readFile } = await import('node:fs/promises');
      const ticks = async () => {
        const line = await readFile(`/proc/${pid}/stat`, 'utf8');
        const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
        return Number(fields[11]) + Number(fields[12]);
      };
      const startedAt = performance.now();
      const before = await ticks();
      await eventually(() => expect(performance.now() - startedAt).to.be.above(overMs));
      return ((await ticks()) - before) / 100 / ((performance.now() - startedAt) / 1000);
    };

    /** A worker in a process of its own: one that spins would take the test with it. */
    async function startWorkerProcess(url: string) {
      const built = (path: string) => JSON.stringify(new URL(`../../dist/src/${path}`, import.meta.url).href);
      const script = `
        const { openQueueWorker } = await import(${built('queue/queue-worker.js')});
        const { scanQueue } = await import(${built('queue/scan-queue.js')});
        const { createLog } = await import(${built('telemetry/log.js')});
        const place = { redisUrl: process.argv[1], databaseUrl: '' };
        const worker = openQueueWorker(place, scanQueue, async () => process.send('recorded'), createLog('test', 'silent'));
        process.on('SIGTERM', () => worker.close().then(() => process.exit(0)));
        process.send('started');`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, url], {
        stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
      });
      await once(child, 'message');
      return child;
    }

    async function expectPatience(url: string): Promise<void> {
      const child = await startWorkerProcess(url);
      try {
        expect(await cpuShare(child.pid ?? 0, 3_000)).to.be.below(0.5);
        const gone = once(child, 'exit');
        child.kill('SIGTERM');
        let code: number | null | undefined;
        void gone.then(([exitCode]) => (code = exitCode as number | null));
        await eventually(() => expect(code).to.equal(0), 15_000);
      } finally {
        child.kill('SIGKILL');
      }
    }

    it('does not spin without any permission, and ends when it is asked to', async () => {
      await start();
      await admin.call('ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '+@connection');
      await expectPatience(redis.url.replace('redis://', 'redis://limited:secret@'));
    });

    it('does not spin without the permission to run scripts, and ends when it is asked to', async () => {
      await start();
      await admin.call('ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '+@all', '-@scripting');
      await expectPatience(redis.url.replace('redis://', 'redis://limited:secret@'));
    });

    it('does not spin on a cluster, which refuses keys of several slots, and ends when it is asked to', async () => {
      await start(['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())]);
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await eventually(async () =>
        expect(await admin.call('CLUSTER', 'INFO')).to.include('cluster_state:ok'),
      );
      await expectPatience(redis.url);
    });

    it('ends within 15 s while Redis hangs', async () => {
      await start();
      const child = await startWorkerProcess(redis.url);
      await eventually(async () => expect(await admin.client('LIST')).to.include('bzpopmin'));
      redis.process?.kill('SIGSTOP');
      let code: number | null | undefined;
      child.once('exit', (exitCode) => (code = exitCode));
      child.kill('SIGTERM');
      try {
        await eventually(() => expect(code).to.equal(0), 15_000);
      } finally {
        child.kill('SIGKILL');
      }
    });

    it('records when the permission was given that it did not have at its start', async () => {
      await start();
      await admin.call('ACL', 'SETUSER', 'limited', 'on', '>secret', '~*', '+@connection');
      let recorded = 0;
      const place = { redisUrl: redis.url.replace('redis://', 'redis://limited:secret@'), databaseUrl: '' };
      const worker = openQueueWorker(
        place,
        scanQueue,
        async () => {
          recorded += 1;
        },
        log,
      );
      const queue = openQueueClient({
        place: { redisUrl: redis.url, databaseUrl: '' },
        log,
      });
      await isReady(queue, true);
      await queue.add(scanQueue, job);
      await admin.call('ACL', 'SETUSER', 'limited', '+@all', '&*');
      await eventually(() => expect(recorded).to.equal(1));
      await worker.close();
      await queue.close();
    });
  });
});
