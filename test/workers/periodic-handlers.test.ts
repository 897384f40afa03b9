import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { ourBrand } from '../../src/brand.ts';
import { changesJob, type PeriodicHandler, type PeriodicJobName } from '../../src/queue/periodic-queue.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createWorkerMetrics } from '../../src/telemetry/worker-metrics.ts';
import { createSecretBox } from '../../src/webhooks/signing.ts';
import { createDestinationHandler } from '../../workers/destination-handler.ts';
import { createPeriodicHandler } from '../../workers/handlers.ts';
import { createHousekeepingHandler, createPurgeHandler } from '../../workers/housekeeping.ts';
import { createNoticeHandler } from '../../workers/notice-handler.ts';
import { createStyleHandler } from '../../workers/style-handler.ts';
import { createWebhookDeliverer } from '../../workers/webhook-deliverer.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { testLog } from '../support/test-log.ts';

describe('Handlers of periodic jobs', () => {
  it('leave the work to the next run while the database is down: no job fails or piles up', async () => {
    const db = openDatabase(`postgres://qrelay@127.0.0.1:${await freePort()}/qrelay`, {
      poolMax: 1,
      applicationName: 'test',
    });
    const lines: string[] = [];
    const log = createLog('test', 'warn', { write: (line) => void lines.push(line) });
    const metrics = createWorkerMetrics();
    const tellOwners = () => Promise.reject(new Error('Nobody is told'));
    const box = createSecretBox([randomBytes(32)]);
    const exportUpkeep = { tellOwners, resume: tellOwners };
    const deliverer = createWebhookDeliverer({
      db,
      box,
      send: () => Promise.reject(new Error('Nothing is sent')),
      timeoutMs: 1_000,
      baseUrl: 'https://qr.test',
      userAgent: 'test',
      onCall: () => undefined,
      tellOwners,
      log,
    });
    const unused = () => Promise.reject(new Error('Nothing is sent'));
    const background = {
      backgroundDb: db,
      mailer: { send: unused, verify: unused },
      site: { baseUrl: 'https://qr.test', supportContact: undefined, brand: ourBrand },
      unsubscribeToken: () => '',
      sendCheck: unused,
      closing: new AbortController().signal,
      log,
    };
    const handlers = {
      purge: createPurgeHandler({ db, metrics, log }),
      housekeeping: createHousekeepingHandler({
        db,
        box,
        historyRetentionMonths: 24,
        tellOwners,
        exportUpkeep,
        metrics,
        log,
      }),
      webhooks: deliverer.start,
      notices: createNoticeHandler(background),
      destinations: createDestinationHandler(background),
      styles: createStyleHandler({ ...background, proofs: { prove: unused, close: unused } }),
      // The job of partitions is put back instead.
    } satisfies Record<Exclude<PeriodicJobName, 'partitions'>, PeriodicHandler>;
    const { handle } = createPeriodicHandler(handlers, background);
    for (const name of Object.keys(handlers)) await handle({}, name);
    await db.destroy();
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).to.deep.equal([
      'a job was not finished, because the database was away; the next run does the rest',
      'a job was not finished, because the database was away; the next run does the rest',
      'webhook endpoints were not called',
      'owners could not be told of their codes',
      'the addresses that codes lead to could not be checked',
      'styles could not be applied to codes',
    ]);
  });

  const quiet = { closing: new AbortController().signal, log: testLog() };
  const run = (handle: ReturnType<typeof createPeriodicHandler>['handle'], name: PeriodicJobName) =>
    handle({}, name);

  it('run once at a time, and once more for all jobs that arrived meanwhile', async () => {
    let runs = 0;
    let end: () => void = () => undefined;
    const { handle } = createPeriodicHandler(
      {
        async purge() {
          runs += 1;
          if (runs === 1) await new Promise<void>((resolve) => (end = resolve));
        },
        async styles() {
          end();
        },
      },
      quiet,
    );
    const first = run(handle, 'purge');
    for (let more = 0; more < 3; more += 1) await run(handle, 'purge');
    expect(runs).to.equal(1);
    // Another job is not kept waiting.
    await run(handle, 'styles');
    await first;
    expect(runs).to.equal(2);
    await run(handle, 'purge');
    expect(runs).to.equal(3);
  });

  it('may run again after one has failed, and ignore a name that only a later release knows', async () => {
    let runs = 0;
    const { handle } = createPeriodicHandler(
      {
        async purge() {
          runs += 1;
          throw new Error('no');
        },
      },
      quiet,
    );
    for (let times = 0; times < 2; times += 1)
      expect(await run(handle, 'purge').catch(String)).to.equal('Error: no');
    expect(runs).to.equal(2);
    await handle({}, 'polish');
  });

  it('run again when they say that there is more to do, and soon after a failure', async () => {
    const left = [5, 0];
    let runs = 0;
    const { handle } = createPeriodicHandler(
      {
        async webhooks() {
          runs += 1;
          return left.pop();
        },
      },
      quiet,
    );
    await run(handle, 'webhooks');
    await eventually(() => expect(runs).to.equal(3));
  });

  it('run once, within a second, for any number of changes', async () => {
    const runs = { webhooks: 0, purge: 0, notices: 0 };
    const count = (name: keyof typeof runs) => async () => {
      runs[name] += 1;
    };
    const { handle, wake } = createPeriodicHandler(
      { webhooks: count('webhooks'), purge: count('purge'), notices: count('notices') },
      quiet,
    );
    for (let changes = 0; changes < 5; changes += 1) {
      await handle({}, changesJob);
      wake('webhooks');
    }
    await eventually(() => expect(runs).to.deep.equal({ webhooks: 1, purge: 1, notices: 0 }));
    // Not at once: the next run waits until a second has passed since the last one began.
    wake('webhooks');
    expect(runs.webhooks).to.equal(1);
    await eventually(() => expect(runs.webhooks).to.equal(2));
  });

  it('do not run again when the process shuts down', async () => {
    const closing = new AbortController();
    let runs = 0;
    const { handle, wake } = createPeriodicHandler(
      {
        async webhooks() {
          runs += 1;
          return 20;
        },
      },
      { ...quiet, closing: closing.signal },
    );
    await run(handle, 'webhooks');
    closing.abort();
    wake('webhooks');
    await sleep(50);
    expect(runs).to.equal(1);
  });

  it('are told when the process shuts down', async () => {
    const closing = new AbortController();
    let isOver = () => false;
    const { handle } = createPeriodicHandler(
      {
        async purge(given) {
          isOver = () => given.isOver();
          await eventually(() => expect(isOver()).to.equal(true));
        },
      },
      { ...quiet, closing: closing.signal },
    );
    const running = run(handle, 'purge');
    expect(isOver()).to.equal(false);
    closing.abort();
    await running;
  });
});
