import { expect } from 'chai';
import pino from 'pino';
import { monitorWrites } from '../../src/queue/scan-writes.ts';

/** A server that is connected, and a log that nobody reads. */
function createMonitor() {
  const roundTrips: number[] = [];
  const writes = monitorWrites({
    write: async () => undefined,
    isConnected: () => true,
    onOutcome: () => undefined,
    onRoundTrip: (ms) => roundTrips.push(ms),
    log: pino({ level: 'silent' }),
    consequence: 'scans go to the spool',
  });
  return { writes, roundTrips };
}

describe('The monitor of writes to the queue', () => {
  const refused = new Error('refused');
  let opened: ReturnType<typeof createMonitor>;
  beforeEach(() => {
    opened = createMonitor();
  });
  afterEach(() => opened.writes.stop());

  const fail = async () => {
    const failure = await opened.writes
      .monitor(() => Promise.reject(refused))
      .catch((error: unknown) => error);
    expect(failure).to.equal(refused);
  };

  it('is not ready after a write was refused, and ready again after the next succeeded', async () => {
    await fail();
    expect(opened.writes.isReady()).to.equal(false);
    await opened.writes.monitor(async () => undefined);
    expect(opened.writes.isReady()).to.equal(true);
  });

  it('stays ready when a write that began before the last success fails: it says nothing about now', async () => {
    let reject: (error: Error) => void = () => undefined;
    const outage = new Promise<void>((_, onFailure) => {
      reject = onFailure;
    });
    const slow = opened.writes.monitor(() => outage).catch((error: unknown) => error);
    await fail();
    await opened.writes.monitor(async () => undefined);
    reject(refused);
    expect(await slow).to.equal(refused);
    expect(opened.writes.isReady()).to.equal(true);
  });

  it('reports how long each write took that was acknowledged, and no other', async () => {
    await fail();
    expect(opened.roundTrips).to.deep.equal([]);
    await opened.writes.monitor(async () => undefined);
    expect(opened.roundTrips).to.have.length(1);
    expect(opened.roundTrips[0]).to.be.at.least(0);
  });

  it('is not ready when a write that began after the last success fails', async () => {
    await opened.writes.monitor(async () => undefined);
    await fail();
    expect(opened.writes.isReady()).to.equal(false);
  });
});
