import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { queueScans } from '../../bench/queue-scans.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { createCode, type SharedCode } from '../support/share.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';

/** More with `WEBHOOK_SCANS=100000`. */
const scans = Number(process.env['WEBHOOK_SCANS'] ?? 4_000);
const scansPerJob = 100;
/** Each gets at most 100 scans a second. An account can have 20. */
const endpoints = Number(process.env['WEBHOOK_ENDPOINTS'] ?? 8);
const killEveryMs = 10_000;
/** What becomes of the calls of an endpoint, over and over: three in ten fail, and one hangs. */
const fates = ['taken', 'fails', 'taken', 'taken', 'fails', 'taken', 'hangs', 'taken', 'fails', 'taken'];
/** Per endpoint: a call a second, of which four in ten fail, some of them slowly, and pauses after those. */
const patienceMs = 60_000 + (scans / endpoints / 100) * 16_000;

describe('Webhook endpoints that fail and hang', () => {
  let fixture: Fixture;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
    fixture = await startFixture({
      settings: { WEBHOOK_NETWORKS: '127.0.0.0/8', WEBHOOK_TIMEOUT_SECONDS: '2' },
    });
  });
  afterEach(async () => {
    await fixture.stop();
    await receiver.stop();
  });

  async function subscribe(): Promise<SharedCode[]> {
    const api = apiClient(fixture.url, await fixture.makeKey());
    const codes: SharedCode[] = [];
    for (let number = 0; number < endpoints; number += 1) {
      const code = await createCode(api);
      const path = `/${number}`;
      const { body } = await api('/webhooks', {
        method: 'POST',
        body: { url: receiver.url + path, name: 'Fault', events: ['scan.recorded'], qrCodeIds: [code.id] },
      });
      receiver.secrets.set(path, body.secret as string);
      codes.push(code);
    }
    return codes;
  }
  const recordedIds = async (): Promise<string[]> => fixture.db('scans').pluck<string[]>('id');

  it(`get each of ${scans} scans at least once, with a worker killed every 10 s`, async () => {
    const codes = await subscribe();
    const accepted = new Map<string, string>();
    const delivered = new Map<string, Set<string>>();
    const callsOf = new Map<string, number>();
    let repeated = 0;
    receiver.answer = ({ id, body, data, path }, response) => {
      const call = (callsOf.get(path) ?? 0) + 1;
      callsOf.set(path, call);
      const before = accepted.get(id);
      // A repeated call is the same call.
      if (before !== undefined) expect(body).to.equal(before);
      accepted.set(id, body);
      // Each endpoint at another place of the list.
      const fate = fates[(call + Number(path.slice(1))) % fates.length];
      if (fate === 'hangs') return;
      if (fate === 'fails') return void response.writeHead(500).end();
      for (const scan of data.scans as { id: string }[]) {
        if (delivered.has(scan.id)) repeated += 1;
        delivered.set(scan.id, (delivered.get(scan.id) ?? new Set()).add(id));
      }
      response.end();
    };
    await queueScans(fixture, codes, { jobs: scans / scansPerJob, scansPerJob });
    const startedAt = performance.now();

    const [worker] = fixture.workers;
    let isDone = false;
    let kills = 0;
    const killing = (async () => {
      for (;;) {
        await pass(killEveryMs);
        if (isDone) return;
        kills += 1;
        await worker?.end('SIGKILL');
        await worker?.restart();
      }
    })();
    await eventually(() => expect(delivered.size).to.equal(scans), patienceMs, 250).finally(() => {
      isDone = true;
    });
    await killing;
    expect(kills).to.be.at.least(1);
    expect(receiver.unverified).to.deep.equal([]);
    // What arrived is what was recorded, and each scan has one webhook-id, however often it came.
    expect([...delivered.keys()].toSorted()).to.deep.equal((await recordedIds()).toSorted());
    expect([...delivered.values()].filter((ids) => ids.size > 1)).to.deep.equal([]);
    const calls = [...callsOf.values()].reduce((sum, count) => sum + count, 0);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(
      `      ${scans} scans in ${seconds} s: ${calls} calls of ${accepted.size} deliveries, ${repeated} scans repeated, ${kills} kills`,
    );
  });

  it('do not keep scans from being recorded, although each of them hangs', async () => {
    const codes = await subscribe();
    receiver.answer = () => undefined;
    await queueScans(fixture, codes, { jobs: 40, scansPerJob });
    await eventually(() =>
      expect(new Set(receiver.received.map(({ path }) => path)).size).to.equal(endpoints),
    );
    const perCode = (40 * scansPerJob) / endpoints;
    await queueScans(fixture, codes, { jobs: 40, scansPerJob });
    for (const code of codes) expect(await fixture.countedScans(code, 2 * perCode)).to.equal(2 * perCode);
  });
});
