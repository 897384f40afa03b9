import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'chai';
import { createBackoff } from '../../src/runtime/backoff.ts';
import { AlreadyReportedError } from '../../src/runtime/supervisor.ts';
import { type SupervisedProcess, supervise } from '../../src/runtime/supervisor.ts';
import { eventually } from '../support/eventually.ts';
import { testLog } from '../support/test-log.ts';

const log = testLog();
const works = `process.send('ready'); setInterval(() => {}, 1000); process.on('disconnect', () => process.exit())`;
const lives = `setInterval(() => process.send('alive'), 20); ${works}`;
/** Blocks its event loop once it is ready, as a bad regular expression does, but asleep. */
const sleep = 'for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
const hangs = `setInterval(() => process.send('alive'), 20); process.send('ready', () => { ${sleep}; })`;
const isDeaf = `process.on('SIGTERM', () => {}); ${works}`;
const diesAtOnce = `process.send('ready', () => process.exit(7))`;

describe('createBackoff', () => {
  it('doubles up to the longest delay', () => {
    const backoff = createBackoff({ firstMs: 500, longestMs: 3_000 });
    expect([1, 2, 3, 4, 5].map(() => backoff.next(0))).to.deep.equal([500, 1_000, 2_000, 3_000, 3_000]);
  });

  it('starts over after a run that was long enough, and after a reset', () => {
    const backoff = createBackoff({ firstMs: 500, resetAfterMs: 60_000 });
    backoff.next(0);
    expect(backoff.next(59_999)).to.equal(1_000);
    expect(backoff.next(60_000)).to.equal(500);
    backoff.reset();
    expect(backoff.next(0)).to.equal(500);
  });
});

describe('supervise', () => {
  let started: ChildProcess[] = [];
  let supervised: SupervisedProcess | undefined;

  function run(
    script: string | (() => string),
    options: Parameters<typeof supervise>[3] = {},
  ): SupervisedProcess {
    const start = () => {
      const text = typeof script === 'string' ? script : script();
      const child = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      started.push(child);
      return child;
    };
    supervised = supervise('test', start, log, options);
    return supervised;
  }

  const rejection = (promise: Promise<void>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  afterEach(async () => {
    await supervised?.stop();
    started = [];
  });

  it('restarts a process that was killed', async () => {
    await run(works, { backoff: createBackoff({ firstMs: 1 }) }).ready;
    started[0]?.kill('SIGKILL');
    await eventually(() => expect(started.length).to.equal(2));
  });

  it('waits longer each time a process keeps exiting', async () => {
    const ran: number[] = [];
    const waits: number[] = [];
    const backoff = createBackoff({ firstMs: 5, longestMs: 20 });
    const recording = {
      next(ranMs: number) {
        ran.push(ranMs);
        const waitMs = backoff.next(ranMs);
        waits.push(waitMs);
        return waitMs;
      },
      reset: backoff.reset,
    };
    await run(diesAtOnce, { backoff: recording }).ready;
    await eventually(() => expect(waits.slice(0, 4)).to.deep.equal([5, 10, 20, 20]));
    expect(ran.every((ms) => ms > 0)).to.equal(true);
  });

  it('does not restart a process that exits before it was ever ready, and reports how it exited', async () => {
    const error = await rejection(run('process.exit(3)').ready);
    expect(String(error)).to.include('The test process exited before it was ready (exit code 3).');
    expect(started.length).to.equal(1);
  });

  it('adds no message when the process has printed the reason itself', async () => {
    expect(await rejection(run('process.exit(1)').ready)).to.be.instanceOf(AlreadyReportedError);
  });

  it('reports that a program could not be started', async () => {
    supervised = supervise('test', () => spawn('/does/not/exist', { stdio: 'ignore' }), log);
    expect(String(await rejection(supervised.ready))).to.match(/exited before it was ready \(.*ENOENT\)/);
  });

  it('restarts at once, even during a long backoff delay', async () => {
    let script = works;
    const { ready, restart } = run(() => script, { backoff: createBackoff({ firstMs: 60_000 }) });
    await ready;
    script = diesAtOnce;
    restart();
    await eventually(() => expect(started[1]?.exitCode).to.equal(7));
    script = works;
    await eventually(() => {
      // Until the exit of the second process is noticed, a restart has no effect.
      restart();
      expect(started.length).to.equal(3);
    });
  });

  it('kills and replaces a process whose event loop hangs', async () => {
    let script = hangs;
    await run(() => script, { backoff: createBackoff({ firstMs: 1 }), hangLimitMs: 500 }).ready;
    script = lives;
    await eventually(() => expect(started.length).to.equal(2));
    expect(started[0]?.signalCode).to.equal('SIGKILL');
  });

  it('kills and replaces a process stopped by SIGSTOP, and leaves a live one alone', async () => {
    await run(lives, { backoff: createBackoff({ firstMs: 1 }), hangLimitMs: 1_000 }).ready;
    const startedAt = Date.now();
    await eventually(() => expect(Date.now() - startedAt).to.be.above(3_000));
    expect(started.length).to.equal(1);
    started[0]?.kill('SIGSTOP');
    await eventually(() => expect(started.length).to.equal(2));
    expect(started[0]?.signalCode).to.equal('SIGKILL');
  });

  it('waits longer each time a process keeps hanging', async () => {
    const backoff = createBackoff({ firstMs: 1 });
    const ran: number[] = [];
    const recording = { ...backoff, next: (ranMs: number) => (ran.push(ranMs), backoff.next(ranMs)) };
    await run(hangs, { backoff: recording, hangLimitMs: 300 }).ready;
    await eventually(() => expect(ran.length).to.be.above(2));
  });

  it('replaces a process that is not ready in time after a restart', async () => {
    let script = diesAtOnce;
    const { ready } = run(() => script, { backoff: createBackoff({ firstMs: 1 }), startTimeoutMs: 2_000 });
    await ready;
    script = sleep;
    await eventually(() => expect(started.at(-1)?.signalCode).to.equal('SIGKILL'));
    script = works;
    await eventually(() => expect(started.at(-1)?.exitCode).to.equal(null));
  });

  it('does not count time in which the supervisor itself did not run', async () => {
    await run(lives, { backoff: createBackoff({ firstMs: 1 }), hangLimitMs: 1_000 }).ready;
    started[0]?.kill('SIGSTOP');
    // Blocks our own event loop, as a suspended machine would.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    started[0]?.kill('SIGCONT');
    const awakeAt = Date.now();
    await eventually(() => expect(Date.now() - awakeAt).to.be.above(1_500));
    expect(started.length).to.equal(1);
  });

  it('sends SIGKILL to a process that ignores SIGTERM', async () => {
    const { ready, stop } = run(isDeaf, { stopTimeoutMs: 50 });
    await ready;
    await stop();
    expect(started[0]?.signalCode).to.equal('SIGKILL');
  });

  it('starts nothing once it is stopped', async () => {
    const { ready, stop } = run(works, { backoff: createBackoff({ firstMs: 1 }) });
    await ready;
    await stop();
    expect(started[0]?.signalCode).to.equal('SIGTERM');
    await stop();
    expect(started.length).to.equal(1);
  });
});
