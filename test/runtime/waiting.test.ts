import { mock } from 'node:test';
import { expect } from 'chai';
import { watchHeartbeats, watchLiveness } from '../../src/runtime/heartbeat.ts';
import { startProbe } from '../../src/runtime/probe.ts';
import { withTimeout } from '../../src/runtime/timeout.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Heartbeats', () => {
  it('of a file are unchanged since the watch has seen its time first, each file on its own', () => {
    let now = 1_000;
    const watch = watchHeartbeats(() => now);
    // However old the file is by the clock of another machine.
    expect(watch.unchangedMs('a', 5)).to.equal(0);
    now += 300;
    expect([watch.unchangedMs('a', 5), watch.unchangedMs('b', 5)]).to.deep.equal([300, 0]);
    now += 300;
    expect([watch.unchangedMs('a', 5), watch.unchangedMs('b', 5)]).to.deep.equal([600, 300]);
    // Another time, later or earlier, is a sign of life.
    expect(watch.unchangedMs('a', 4)).to.equal(0);
    now += 50;
    expect(watch.unchangedMs('a', 4)).to.equal(50);
    watch.retainOnly(['a']);
    expect([watch.unchangedMs('a', 4), watch.unchangedMs('b', 5)]).to.deep.equal([50, 0]);
  });

  describe('with a time limit', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
    afterEach(() => mock.reset());

    it('are missed after the whole limit without one', () => {
      let hangs = 0;
      const watch = watchLiveness({ limitMs: 1_000, onHang: () => (hangs += 1) });
      for (let times = 0; times < 5; times += 1) {
        mock.timers.tick(1_000);
        watch.heartbeat();
      }
      expect(hangs).to.equal(0);
      mock.timers.tick(1_000);
      expect(hangs).to.equal(0);
      mock.timers.tick(100);
      expect(hangs).to.equal(1);
    });

    it('are not missed after the watch has ended', () => {
      let hangs = 0;
      watchLiveness({ limitMs: 1_000, onHang: () => (hangs += 1) }).stop();
      mock.timers.tick(10_000);
      expect(hangs).to.equal(0);
    });
  });
});

describe('A time limit', () => {
  it('passes on what settles in time, be it an error', async () => {
    expect(await withTimeout(60_000, Promise.resolve('value'))).to.equal('value');
    const error = await withTimeout(60_000, Promise.reject(new RangeError('own'))).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(RangeError);
  });

  it('rejects what hangs, but not what has arrived while the event loop was busy', async () => {
    const late = await withTimeout(1, new Promise(() => undefined)).catch((error: Error) => error.name);
    expect(late).to.equal('TimeoutError');
    // From here on, timers are looked at before what has arrived.
    await settled();
    const waiting = withTimeout(
      1,
      settled().then(() => 'arrived'),
    );
    for (const until = performance.now() + 20; performance.now() < until; );
    expect(await waiting).to.equal('arrived');
  });
});

describe('A probe', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'setTimeout'] }));
  afterEach(() => mock.reset());

  it('checks once a second, and answers from the last check however many ask', async () => {
    let [checks, isUp] = [0, true];
    const probe = startProbe(async () => {
      checks += 1;
      if (!isUp) throw new Error('down');
    });
    for (let asked = 0; asked < 5; asked += 1) expect(await probe.latest()).to.include({ ok: true });
    expect(checks).to.equal(1);
    isUp = false;
    mock.timers.tick(1_000);
    await settled();
    expect(checks).to.equal(2);
    expect(await probe.latest()).to.include({ ok: false });
    isUp = true;
    mock.timers.tick(1_000);
    await settled();
    expect(await probe.latest()).to.include({ ok: true });
    probe.stop();
    mock.timers.tick(10_000);
    expect(checks).to.equal(3);
  });

  it('of a server that hangs says so, makes no second check meanwhile, and goes on afterwards', async () => {
    let [checks, respond] = [0, () => undefined as void];
    const probe = startProbe(() => {
      checks += 1;
      return new Promise<void>((resolve) => (respond = resolve));
    });
    const first = probe.latest();
    mock.timers.tick(1_000);
    expect(await first).to.include({ ok: false });
    mock.timers.tick(5_000);
    expect(checks).to.equal(1);
    respond();
    await settled();
    mock.timers.tick(1_000);
    expect(checks).to.equal(2);
    respond();
    await settled();
    expect(await probe.latest()).to.include({ ok: true });
    probe.stop();
  });

  it('makes no check before somebody asks, nor a minute after the last one did', async () => {
    let now = 0;
    mock.method(performance, 'now', () => now);
    let checks = 0;
    const probe = startProbe(async () => void (checks += 1));
    const pass = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 1) {
        now += 1_000;
        mock.timers.tick(1_000);
        await settled();
      }
    };
    await pass(5);
    expect(checks).to.equal(0);
    expect(await probe.latest()).to.include({ ok: true });
    await pass(60);
    expect(checks).to.equal(61);
    await pass(100);
    expect(checks).to.equal(61);
    // A fresh one: the last is from long ago.
    expect(await probe.latest()).to.include({ ok: true });
    expect(checks).to.equal(62);
    probe.stop();
  });
});
