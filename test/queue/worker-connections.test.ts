import { expect } from 'chai';
import { loadConfig } from '../../src/config.ts';
import { connectionCounts } from '../../src/queue/connection-counts.ts';
import { mailQueue } from '../../src/queue/mail-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import type { QueueDefinition } from '../../src/queue/queue-definition.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createWorkerMetrics } from '../../src/telemetry/worker-metrics.ts';
import { openWorkerService, type WorkerService } from '../../workers/worker-service.ts';
import { eventually } from '../support/eventually.ts';
import { readFigures } from '../support/figures.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

const busyQueues: QueueDefinition[] = [scanQueue, mailQueue];
const periodicJobs = allQueues.flatMap(({ schedules = {} }) => Object.keys(schedules));

describe('A worker with its queues in PostgreSQL', () => {
  const config = loadConfig({});
  let database: TestDatabase;
  let db: Database;
  let worker: WorkerService | undefined;

  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
  });
  afterEach(async () => {
    await worker?.close();
    worker = undefined;
    await db.destroy();
    await database.drop();
  });

  const place = () => ({ databaseUrl: database.url, redisUrl: undefined });
  async function startWorker(metrics = createWorkerMetrics()): Promise<void> {
    worker = await openWorkerService(place(), testLog(), { config, metrics });
  }
  async function openConnections(): Promise<string[]> {
    const { rows } = (await db.raw(
      `SELECT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )) as { rows: { name: string }[] };
    return rows.map(({ name }) => name);
  }
  /** They do not match the contract, and so reach no handler. */
  async function addBadJobs(count: number): Promise<void> {
    const client = openQueueClient({ place: place(), log: testLog() });
    const bad = Array.from({ length: count }, () => ({}) as never);
    for (const queue of busyQueues) await Promise.all(bad.map((data) => client.add(queue, data)));
    await client.close();
  }

  it('opens no more connections than it says, also while it starts and has much to do', async () => {
    await addBadJobs(100);
    const metrics = createWorkerMetrics();
    let most: string[] = [];
    let isWatching = true;
    const watching = (async () => {
      while (isWatching) {
        const open = await openConnections();
        if (open.length > most.length) most = open;
      }
    })();
    await startWorker(metrics);
    await eventually(async () => {
      const figures = readFigures(await metrics.registry.metrics());
      for (const { name: queue } of busyQueues)
        expect(figures.get('qrelay_worker_jobs_total', { queue, outcome: 'failed' })).to.be.at.least(100);
      for (const queue of periodicJobs)
        expect(figures.get('qrelay_worker_jobs_total', { queue, outcome: 'done' })).to.be.at.least(1);
    });
    isWatching = false;
    await watching;
    expect(most.length, most.toSorted().join()).to.be.at.most(connectionCounts(config).worker);
  });

  it('needs no more than 30, of which each queue keeps one to hear of new jobs', async () => {
    expect(connectionCounts(config).worker).to.be.at.most(24);
    await startWorker();
    await eventually(async () => {
      const open = await openConnections();
      expect(open).to.include.members(allQueues.map(({ name }) => name));
    });
  });
});
