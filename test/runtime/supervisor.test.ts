import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'chai';
import { createBackoff } from '../../src/runtime/backoff.ts';
import { AlreadyReportedError } from '../../src/runtime/lifecycle.ts';
import { type SupervisedProcess, supervise } from '../../src/runtime/supervisor.ts';
import { eventually } from '../support/eventually.ts';
import { testLog } from '../support/test-log.ts';

const log = testLog();
const works = `process.send('ready'); setInterval(() => {}, 1000); process.on('disconnect', () => process.exit())`;
const lives = `setInterval(() => process.send('alive'), 20); ${works}`;
/** Busy for ever once it was ready, as with a bad regular expression. */
const hangs = `setInterval(() => process.send('alive'), 20); process.send('ready', () => { for (;;); })`;
const isDeaf = `process.on('SIGTERM', () => {}); ${works}`;
const diesAtOnce = `process.send('ready', () => process.exit(7))`;

describe('createBackoff', () => {
  it('doubles up to the longest', () => {
    const delays = createBackoff({ firstMs: 500, longestMs: 3_000 });
    expect([1, 2, 3, 4, 5].map(() => delays.next(0))).to.deep.equal([500, 1_000, 2_000, 3_000, 3_000]);
  });

  it('begins again after a run that was long enough, and when told', () => {
    const delays = createBackoff({ firstMs: 500, wellAfterMs: 60_000 });
    delays.next(0);
    expect(delays.next(59_999)).to.equal(1_000);
    expect(delays.next(60_000)).to.equal(500);
    delays.reset();
    expect(delays.next(0)).to.equal(500);
  });
});

describe('supervise', () => {
  let started: ChildProcess[] = [];
  let kept: SupervisedProcess | undefined;

  function keep(
    script: string | (() => string),
    patience: Parameters<typeof supervise>[3] = {},
  ): SupervisedProcess {
    const start = () => {
      const text = typeof script === 'string' ? script : script();
      const child = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      started.push(child);
      return child;
    };
    kept = supervise('test', start, log, patience);
    return kept;
  }

  const rejection = (promise: Promise<void>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  afterEach(async () => {
    await kept?.stop();
    started = [];
  });

  it('starts a process again that was killed', async () => {
    await keep(works, { delays: createBackoff({ firstMs: 1 }) }).ready;
    started[0]?.kill('SIGKILL');
    await eventually(() => expect(started.length).to.equal(2));
  });

  it('waits longer each time for one that keeps dying', async () => {
    const ran: number[] = [];
    const waits: number[] = [];
    const delays = createBackoff({ firstMs: 5, longestMs: 20 });
    const told = {
      next(ranMs: number) {
        ran.push(ranMs);
        const waitMs = delays.next(ranMs);
        waits.push(waitMs);
        return waitMs;
      },
      reset: delays.reset,
    };
    await keep(diesAtOnce, { delays: told }).ready;
    await eventually(() => expect(waits.slice(0, 4)).to.deep.equal([5, 10, 20, 20]));
    expect(ran.every((ms) => ms > 0)).to.equal(true);
  });

  it('does not try again what ends before it was ever ready, and says how it ended', async () => {
    const error = await rejection(keep('process.exit(3)').ready);
    expect(String(error)).to.include('The test process ended before it was ready (exit code 3).');
    expect(started.length).to.equal(1);
  });

  it('adds no sentence of its own where the process has told why it left', async () => {
    expect(await rejection(keep('process.exit(1)').ready)).to.be.instanceOf(AlreadyReportedError);
  });

  it('says that a program could not be started', async () => {
    kept = supervise('test', () => spawn('/does/not/exist', { stdio: 'ignore' }), log);
    expect(String(await rejection(kept.ready))).to.match(/ended before it was ready \(.*ENOENT\)/);
  });

  it('renews at once, also in the middle of a long delay', async () => {
    let script = works;
    const { ready, renew } = keep(() => script, { delays: createBackoff({ firstMs: 60_000 }) });
    await ready;
    script = diesAtOnce;
    renew();
    await eventually(() => expect(started[1]?.exitCode).to.equal(7));
    script = works;
    await eventually(() => {
      // Until the end of the second is noticed, there is nothing to renew but the dead.
      renew();
      expect(started.length).to.equal(3);
    });
  });

  it('kills and replaces a process that hangs in a loop', async () => {
    let script = hangs;
    await keep(() => script, { delays: createBackoff({ firstMs: 1 }), hangLimitMs: 500 }).ready;
    script = lives;
    await eventually(() => expect(started.length).to.equal(2));
    expect(started[0]?.signalCode).to.equal('SIGKILL');
  });

  it('kills and replaces a process that was stopped, and leaves one that lives alone', async () => {
    await keep(lives, { delays: createBackoff({ firstMs: 1 }), hangLimitMs: 1_000 }).ready;
    const startedAt = Date.now();
    await eventually(() => expect(Date.now() - startedAt).to.be.above(3_000));
    expect(started.length).to.equal(1);
    started[0]?.kill('SIGSTOP');
    await eventually(() => expect(started.length).to.equal(2));
    expect(started[0]?.signalCode).to.equal('SIGKILL');
  });

  it('waits longer each time for one that keeps hanging', async () => {
    const delays = createBackoff({ firstMs: 1 });
    const ran: number[] = [];
    const told = { ...delays, next: (ranMs: number) => (ran.push(ranMs), delays.next(ranMs)) };
    await keep(hangs, { delays: told, hangLimitMs: 300 }).ready;
    await eventually(() => expect(ran.length).to.be.above(2));
  });

  it('replaces one that is not ready in time after a restart', async () => {
    let script = diesAtOnce;
    const { ready } = keep(() => script, { delays: createBackoff({ firstMs: 1 }), startLimitMs: 500 });
    await ready;
    script = 'for (;;);';
    await eventually(() => expect(started.at(-1)?.signalCode).to.equal('SIGKILL'));
    script = works;
    await eventually(() => expect(started.at(-1)?.exitCode).to.equal(null));
  });

  it('does not hold time in which it did not run itself against anybody', async () => {
    await keep(lives, { delays: createBackoff({ firstMs: 1 }), hangLimitMs: 1_000 }).ready;
    started[0]?.kill('SIGSTOP');
    // As long as the machine sleeps, nobody is heard and nobody counts.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    started[0]?.kill('SIGCONT');
    const awakeAt = Date.now();
    await eventually(() => expect(Date.now() - awakeAt).to.be.above(1_500));
    expect(started.length).to.equal(1);
  });

  it('kills what does not end when it is asked to', async () => {
    const { ready, stop } = keep(isDeaf, { stopLimitMs: 50 });
    await ready;
    await stop();
    expect(started[0]?.signalCode).to.equal('SIGKILL');
  });

  it('starts nothing any more once it is stopped', async () => {
    const { ready, stop } = keep(works, { delays: createBackoff({ firstMs: 1 }) });
    await ready;
    await stop();
    expect(started[0]?.signalCode).to.equal('SIGTERM');
    await stop();
    expect(started.length).to.equal(1);
  });
});
