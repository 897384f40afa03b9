import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { openDatabase } from '../../src/store/database.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createDestinationHandler } from '../../workers/destination-handler.ts';
import { createHousekeepingHandler } from '../../workers/housekeeping-handler.ts';
import { createNoticeHandler } from '../../workers/notice-handler.ts';
import { createStyleHandler } from '../../workers/style-handler.ts';
import { createSecretBox } from '../../src/webhooks/signing.ts';
import { createPurgeHandler } from '../../workers/purge-handler.ts';
import { createWorkerMetrics } from '../../src/telemetry/worker-metrics.ts';
import { createWebhookDeliverer } from '../../workers/webhook-deliverer.ts';
import { createWebhookHandler } from '../../workers/webhook-handler.ts';
import { freePort } from '../support/free-port.ts';

describe('Handlers of schedules that run often', () => {
  it('leave the work to the next run while the database is down: no job fails or piles up', async () => {
    const db = openDatabase(`postgres://qrelay@127.0.0.1:${await freePort()}/qrelay`, {
      poolMax: 1,
      applicationName: 'test',
    });
    const lines: string[] = [];
    const log = createLog('test', 'warn', { write: (line) => void lines.push(line) });
    const metrics = createWorkerMetrics();
    await createPurgeHandler({ db, metrics, log })({});
    const tellOwners = () => Promise.reject(new Error('Nobody is told'));
    const box = createSecretBox([randomBytes(32)]);
    const exportUpkeep = { tellOwners, resume: tellOwners };
    await createHousekeepingHandler({ db, box, tellOwners, exportUpkeep, metrics, log })({});
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
    await createWebhookHandler({ deliverer, log })({});
    const unused = () => Promise.reject(new Error('Nothing is sent'));
    const background = {
      backgroundDb: db,
      mailer: { send: unused, verify: unused },
      site: { baseUrl: 'https://qr.test', supportContact: undefined },
      unsubscribeToken: () => '',
      sendCheck: unused,
      closing: new AbortController().signal,
      log,
    };
    await createNoticeHandler(background)({});
    await createDestinationHandler(background)({});
    await createStyleHandler({ ...background, proofs: { prove: unused, close: unused } })({});
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
});
