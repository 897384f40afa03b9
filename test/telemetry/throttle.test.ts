import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { createLog } from '../../src/telemetry/log.ts';
import { throttle, throttledLog } from '../../src/telemetry/throttle.ts';
import { createWebMetrics } from '../../src/telemetry/web-metrics.ts';
import { errors } from '../../src/web/middleware/errors.ts';
import { observe } from '../../src/web/middleware/observe.ts';

describe('Throttled errors', () => {
  let told: [string, number][];
  let due: { work: () => void; ms: number }[];
  let trouble: ReturnType<typeof throttle>;

  beforeEach(() => {
    told = [];
    due = [];
    trouble = throttle((err, count) => told.push([String(err), count]), {
      pauseMs: 10_000,
      schedule: (work, ms) => due.push({ work, ms }),
    });
  });

  function passPause(): void {
    const [pause, ...more] = due.splice(0);
    expect(more).to.deep.equal([]);
    expect(pause?.ms).to.equal(10_000);
    pause?.work();
  }

  it('are reported at once the first time', () => {
    trouble('refused');
    expect(told).to.deep.equal([['refused', 1]]);
  });

  it('are then reported once per pause, with the latest error and the count', () => {
    for (let number = 1; number <= 2_500; number += 1) trouble(`refused ${number}`, 3);
    expect(told).to.deep.equal([['refused 1', 3]]);
    passPause();
    expect(told.slice(1)).to.deep.equal([['refused 2500', 3 * 2_499]]);
    trouble('full', 7);
    expect(told).to.have.length(2);
    passPause();
    expect(told.slice(2)).to.deep.equal([['full', 7]]);
  });

  it('are reported at once again after a pause without errors', () => {
    trouble('refused');
    passPause();
    expect(told).to.have.length(1);
    expect(due).to.deep.equal([]);
    trouble('full');
    expect(told).to.deep.equal([
      ['refused', 1],
      ['full', 1],
    ]);
  });

  it('do not keep a process alive', () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    throttle(() => undefined)('refused');
    const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(after).to.equal(before);
  });
});

describe('A throttled log', () => {
  it('writes the first lines of a window, then how many were suppressed, and starts over', () => {
    const lines: string[] = [];
    const windows: (() => void)[] = [];
    const write = throttledLog(createLog('test', 'info', { write: (line) => lines.push(line) }), {
      maxLines: 2,
      schedule: (work) => windows.push(work),
    });
    for (const number of [1, 2, 3, 4, 5]) write('info', { number }, 'line');
    write('debug', {}, 'below the level');
    windows.shift()?.();
    write('info', { number: 6 }, 'line');
    windows.shift()?.();
    const told = lines.map((line) => JSON.parse(line) as { number?: number; lines?: number });
    expect(told.map(({ number, lines: suppressed }) => number ?? `${suppressed} suppressed`)).to.deep.equal([
      1,
      2,
      '3 suppressed',
      6,
    ]);
    expect(windows).to.deep.equal([]);
  });

  it('keeps a flood of requests, including failing ones, from filling the log', async () => {
    let size = 0;
    const log = createLog('test', 'info', { write: (line) => (size += line.length) });
    const app = new Koa();
    app.use(observe({ log, metrics: createWebMetrics(), tracing: undefined, trustProxyHops: 0 }));
    app.use(errors(log, () => undefined));
    // One for all: reading the stack of a new one takes milliseconds.
    const failure = new Error('made to fail');
    app.use(() => {
      throw failure;
    });
    const handle = app.callback();
    // Without connections, which would take most of the time.
    for (let sent = 0; sent < 2_500; sent += 1) {
      const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/' });
      const response = new ServerResponse(request);
      await handle(request, response);
      expect(response.statusCode).to.equal(500);
    }
    // 2,500 lines with their stacks would be more than 3 MB.
    expect(size).to.be.below(1_500_000);
  });
});
