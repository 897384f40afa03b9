import { expect } from 'chai';
import type { Database } from '../../src/store/database.ts';
import { createReplica, createWalHistory, ReplicaFailedError } from '../../src/store/replicas.ts';

const none = {} as Database;

describe('The lag of a replica', () => {
  let nowMs: number;
  let history: ReturnType<typeof createWalHistory>;
  let replica: ReturnType<typeof createReplica>;

  beforeEach(() => {
    nowMs = 10_000;
    history = createWalHistory();
    replica = createReplica('b:5432/qrelay', none, () => nowMs);
  });

  const measure = (position: number | null, changes: object = {}) =>
    replica.measured({ isStandby: true, position, systemId: 'a', timeline: null, ...changes }, 'a', history);

  it('is the time since the primary had the latest position that the replica has replayed', () => {
    history.add(100, 10_000);
    history.add(200, 10_500);
    history.add(300, 11_000);
    nowMs = 11_100;
    measure(250);
    expect(replica.lagMs()).to.equal(600);
    measure(300);
    expect(replica.lagMs()).to.equal(100);
    measure(999);
    expect(replica.lagMs()).to.equal(100);
    expect(replica.state()).to.equal('usable');
  });

  it('does not grow while the primary is idle, and grows while nothing is measured', () => {
    for (let askedAtMs = 10_000; askedAtMs <= 60_000; askedAtMs += 500) {
      history.add(100, askedAtMs);
      nowMs = askedAtMs + 10;
      measure(100);
      expect(replica.lagMs()).to.equal(10);
    }
    nowMs = 61_999;
    expect(replica.state()).to.equal('usable');
    nowMs = 62_000;
    expect(replica.state()).to.equal('lagging');
  });

  it('is unknown, and the replica not used, before it has reached a position of the primary', () => {
    expect(replica.state()).to.equal('unreachable');
    history.add(500, 10_000);
    measure(400);
    expect(replica.state()).to.equal('lagging');
    measure(null);
    expect(replica.state()).to.equal('lagging');
    measure(500);
    expect(replica.state()).to.equal('usable');
  });

  it('counts only if it is a standby of the same cluster', () => {
    history.add(100, 10_000);
    measure(100, { isStandby: false });
    expect(replica.state()).to.equal('primary');
    measure(100, { systemId: 'b' });
    expect(replica.state()).to.equal('foreign');
    measure(100);
    expect(replica.state()).to.equal('usable');
  });

  it('proves nothing after a promotion until the replica has moved: it may have WAL that was lost', () => {
    history.add(1_000, 10_000);
    measure(1_000);
    expect(replica.state()).to.equal('usable');
    // The new primary lacks the last 100 bytes of the old one.
    history.clear();
    replica.timelineChanged();
    history.add(900, 10_000);
    measure(1_000);
    measure(1_000);
    expect(replica.state()).to.equal('lagging');
    history.add(1_100, 10_100);
    nowMs = 10_200;
    measure(1_100);
    expect(replica.state()).to.equal('usable');
    expect(replica.lagMs()).to.equal(100);
  });

  it('forgets positions that a server with less WAL contradicts, and keeps a limited number', () => {
    history.add(1_000, 10_000);
    history.add(900, 10_500);
    expect(history.currentAsOf(1_000)).to.equal(10_500);
    expect(history.currentAsOf(899)).to.equal(undefined);
    const short = createWalHistory(2);
    for (const position of [1, 2, 3]) short.add(position, position * 1_000);
    expect([1, 2, 3].map(short.currentAsOf)).to.deep.equal([undefined, 2_000, 3_000]);
  });

  it('gives up the reads under way when the replica fails, and only those', async () => {
    const hanging = replica.read(() => new Promise(() => undefined)).catch((error: unknown) => error);
    const answered = replica.read(async () => 'answer');
    expect(await answered).to.equal('answer');
    replica.failed();
    expect(await hanging).to.be.instanceOf(ReplicaFailedError);
    expect(await replica.read(async () => 'later')).to.equal('later');
  });
});
