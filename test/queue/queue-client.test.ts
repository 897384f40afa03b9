import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { packScans } from '../../src/queue/scan-jobs.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { onBothQueues } from '../support/queue-engines.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

const log = testLog();
const scan = { id: 'id', codeId: 'code', userAgent: 'agent', address: '192.0.2.1' };

onBothQueues('The queue of a web process', (redisUrl) => {
  it('resolves when the job is in the queue, and rejects after it was closed', async () => {
    const database = await createTestDatabase();
    const place = { databaseUrl: database.url, redisUrl: redisUrl() };
    const queue = openQueueClient({ place, log });
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await queue.add(scanQueue, packScans([scan, { ...scan, id: 'another' }], randomBytes(32)));
    expect(await queue.pending(scanQueue)).to.equal(1);
    await queue.close();
    const refusal = await queue
      .add(scanQueue, packScans([scan], randomBytes(32)))
      .catch((error: unknown) => error);
    expect(refusal).to.be.an('error').with.property('message', 'The queue client is closed');
    await database.drop();
  });
});

onBothQueues('The queue of a web process that does not know whether others use the same', (redisUrl) => {
  it('takes nothing and is not ready, until it does', async () => {
    const database = await createTestDatabase();
    const place = { databaseUrl: database.url, redisUrl: redisUrl() };
    let isAgreed = false;
    const agreement = { isAgreed: () => isAgreed, reason: () => new Error('not known yet') };
    const queue = openQueueClient({ place, agreement, log });
    const job = packScans([scan], randomBytes(32));
    const reasonOf = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: Error) => error.message,
      );
    // The connection itself is up.
    await eventually(async () => expect(await queue.pending(scanQueue)).to.equal(0));
    expect(queue.isReady()).to.equal(false);
    expect(await reasonOf(queue.checkWrites())).to.equal('not known yet');
    expect(await reasonOf(queue.add(scanQueue, job))).to.equal('not known yet');
    isAgreed = true;
    await eventually(() => expect(queue.isReady()).to.equal(true));
    await queue.add(scanQueue, job);
    expect(await queue.pending(scanQueue)).to.equal(1);
    await queue.close();
    await database.drop();
  });
});

describe('A queue that cannot be reached', () => {
  it('is logged by the process, each error once, however often it reconnects', async () => {
    let tries = 0;
    const door = createServer((socket) => {
      tries += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    const { port } = door.address() as AddressInfo;
    const lines: string[] = [];
    const ownLog = createLog('test', 'warn', { write: (line) => lines.push(line) });
    const place = { redisUrl: `redis://127.0.0.1:${port}`, databaseUrl: '' };
    const queue = openQueueClient({ place, log: ownLog });
    await eventually(() => expect(tries).to.be.above(8));
    await queue.close();
    door.close();
    // Sometimes the write fails, sometimes the read: a few messages, each of them once.
    const logged = lines.map((line) => (JSON.parse(line) as { err: Error }).err.message);
    expect(logged)
      .to.deep.equal([...new Set(logged)])
      .and.to.have.lengthOf.within(1, 4);
    expect(lines[0]).to.contain('; retrying');
  });
});
