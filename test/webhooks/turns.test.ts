import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import {
  type Call,
  cancelDelivery,
  claimEndpoints,
  type Pace,
  recordAttempt,
  releaseEndpoint,
  takeDue,
} from '../../src/webhooks/endpoint-turns.ts';
import { gatherScans, createPing, Delivery, retryDelivery } from '../../src/webhooks/deliveries.ts';
import { changeEndpoint, createEndpoint, Endpoint } from '../../src/webhooks/endpoints.ts';
import { createSecretBox } from '../../src/webhooks/signing.ts';
import { createAddressPolicy } from '../../src/net/address-policy.ts';
import { createOutboundRequest, resolveBySystem } from '../../src/net/outbound-request.ts';
import { createWebhookDeliverer } from '../../workers/webhook-deliverer.ts';
import { eventually } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';
import { testLog } from '../support/test-log.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import type { WorkspaceId } from '../../src/workspaces/workspace.ts';

describe('Turns of webhook endpoints', () => {
  let service: TestService;
  let userId: string;
  const box = createSecretBox([Buffer.alloc(32, 1)]);

  before(async () => {
    service = await startService();
    ({ id: userId } = await findOrCreateUser(service.db, 'turns@example.com', new Date()));
  });
  beforeEach(async () => {
    await service.db('webhook_endpoints').delete();
    await service.db('webhook_deliveries').delete();
    await service.db('webhook_scans').delete();
  });
  after(() => service.stop());

  /** An endpoint that has something to be sent. */
  async function makeEndpoint(url: string): Promise<string> {
    const input = { url, name: 'Test', events: ['code.created' as const], codeIds: null, categories: null };
    const quota = { box, quota: 1_000, now: new Date() };
    const { endpoint } = await createEndpoint(service.db, userId as WorkspaceId, input, quota);
    await createPing(service.db, endpoint);
    return endpoint.id;
  }
  const claim = (pace: Pace, limit = 100) => claimEndpoints(service.db, { pace, limit, leaseMs: 60_000 });
  const release = (endpoint: Endpoint, ...calls: Call[]) =>
    releaseEndpoint(service.db, endpoint, { calls, scans: undefined });
  const quick: Call = { outcome: 'delivered', durationMs: 100, isPing: false };
  const slow: Call = { outcome: 'delivered', durationMs: 9_000, isPing: false };

  /** All are called once, and answer at once. */
  async function prove(): Promise<void> {
    for (let claimed = await claim('slow'); claimed.length > 0; claimed = await claim('slow'))
      for (const endpoint of claimed) await release(endpoint, quick);
  }

  it('are in the order of waiting, so that endpoints that are always due do not keep others out', async () => {
    const ids = [];
    for (let n = 0; n < 6; n += 1) ids.push(await makeEndpoint(`https://host-${n}.example.com/`));
    await prove();
    const served: string[] = [];
    for (let round = 0; round < 3; round += 1)
      for (const endpoint of await claim('fast', 2)) {
        served.push(endpoint.id);
        await release(endpoint, quick);
      }
    expect(served).to.have.members(ids);
  });

  it('are given to 16 endpoints of a host at most, by all workers together, and to 12 that are slow', async () => {
    for (let n = 0; n < 20; n += 1)
      await makeEndpoint(`https://${n % 2 ? 'Victim' : 'victim'}.example.com:8443/${n}`);
    const other = await makeEndpoint('https://other.example.com/');
    const claimed = await claim('slow');
    expect(claimed).to.have.length(13);
    expect(claimed.map(({ id }) => id)).to.include(other);
    expect(await claim('slow')).to.deep.equal([]);
    for (const endpoint of claimed) await release(endpoint, quick);
    await prove();
    const [some, rest] = [await claim('fast', 10), await claim('fast')];
    expect([some.length, rest.length]).to.deep.equal([10, 7]);
    for (const endpoint of some) await release(endpoint, quick);
    expect(await claim('fast')).to.have.length(10);
  });

  it('of endpoints that answer slowly, fail or are new do not take the places of others', async () => {
    const id = await makeEndpoint('https://slow.example.com/');
    const paceOf = async () => {
      const row = await Endpoint.query(service.db).findById(id).throwIfNotFound();
      return row.failures === 0 && !row.isSlow ? 'fast' : 'slow';
    };
    expect(await paceOf()).to.equal('slow');
    await prove();
    expect(await paceOf()).to.equal('fast');
    const [fast] = await claim('fast');
    await release(fast!, quick, slow);
    expect(await paceOf()).to.equal('slow');
    expect(await claim('fast')).to.deep.equal([]);
    await prove();
    const [again] = await claim('fast');
    await release(again!, { outcome: 'failed', durationMs: 10, isPing: false });
    expect(await paceOf()).to.equal('slow');
    await service.db('webhook_endpoints').update({ retry_at: new Date(0) });
    await prove();
    expect(await paceOf()).to.equal('fast');
    await changeEndpoint(
      service.db,
      userId as WorkspaceId,
      id,
      { url: 'https://elsewhere.example.com/' },
      new Date(),
    );
    expect(await paceOf()).to.equal('slow');
  });

  it('of a worker that shuts down go to the next one: a call that takes too long is ended, and made again', async () => {
    const receiver = await startReceiver();
    const id = await makeEndpoint(`${receiver.url}/`);
    const timeoutMs = 3_600_000;
    const policy = createAddressPolicy(['127.0.0.0/8']);
    const send = createOutboundRequest({ policy, timeoutMs, maxBodyBytes: 100, resolve: resolveBySystem });
    const open = (drainMs: number) =>
      createWebhookDeliverer({
        db: service.db,
        box,
        send,
        timeoutMs,
        baseUrl: 'https://qr.test',
        userAgent: 'test',
        onCall: () => undefined,
        tellOwners: async () => undefined,
        log: testLog(),
        drainMs,
      });
    receiver.answer = () => undefined;
    const first = open(50);
    await first.start();
    await eventually(() => expect(receiver.received).to.have.length(1));
    await first.close();
    const waiting = await Delivery.query(service.db).where({ endpoint_id: id });
    expect(waiting).to.have.length(1);
    expect(waiting[0]).to.include({ status: 'pending', attempts: 0 });

    receiver.answer = (_request, response) => void response.end();
    const second = open(60_000);
    await second.start();
    await second.close();
    expect(await Delivery.query(service.db).findById(waiting[0]?.id ?? '')).to.include({
      status: 'delivered',
    });
    const [before, again] = receiver.received;
    expect(receiver.received).to.have.length(2);
    expect(again?.id).to.equal(before?.id);
    await receiver.stop();
  });

  it('carry 100 scans, of several rows, each scan once, oldest first, with its own code', async () => {
    const id = await makeEndpoint('https://example.com/');
    const [ada, bob] = [randomUUID(), randomUUID()];
    const given = [
      [ada, 60],
      [bob, 70],
      [ada, 70],
      [bob, 5],
    ] as const;
    const expected: string[] = [];
    for (const [code, count] of given) {
      const scanIds = Array.from({ length: count }, () => randomUUID());
      expected.push(...scanIds.map((scanId) => `${code} ${scanId}`));
      await service.db('webhook_scans').insert({ endpoint_id: id, qr_code_id: code, scan_ids: scanIds });
    }
    const sizes: number[] = [];
    const sent: string[] = [];
    for (let taken = await gatherScans(service.db, id); taken; taken = await gatherScans(service.db, id)) {
      const { scanCodes, scanIds } = taken as { scanCodes: string[]; scanIds: string[] };
      sizes.push(scanIds.length);
      sent.push(...scanIds.map((scanId, index) => `${scanCodes[index]} ${scanId}`));
    }
    expect(sizes).to.deep.equal([100, 100, 5]);
    expect(sent).to.deep.equal(expected);
    expect(await service.db('webhook_scans')).to.deep.equal([]);
  });

  it('carry no scans that another worker is about to send', async () => {
    const id = await makeEndpoint('https://example.com/');
    await service
      .db('webhook_scans')
      .insert({ endpoint_id: id, qr_code_id: randomUUID(), scan_ids: [randomUUID()] });
    await service.db.transaction(async (other) => {
      await other('webhook_scans').where({ endpoint_id: id }).forUpdate();
      expect(await gatherScans(service.db, id)).to.equal(undefined);
    });
    expect((await gatherScans(service.db, id))?.scanIds).to.have.length(1);
  });

  it('carry up to four events that are due, those first that have waited longest', async () => {
    const id = await makeEndpoint('https://example.com/');
    await service.db('webhook_deliveries').delete();
    const minutes = [3, 6, 1, 5, 2, 4, -1];
    await service.db('webhook_deliveries').insert(
      minutes.map((ago) => ({
        endpoint_id: id,
        event: 'code.created',
        next_attempt_at: new Date(Date.now() - ago * 60_000),
      })),
    );
    const [endpoint] = await claim('slow');
    const { others } = await takeDue(service.db, endpoint!);
    const agoOf = ({ nextAttemptAt }: Delivery) =>
      Math.round((Date.now() - nextAttemptAt.getTime()) / 60_000);
    expect(others.map(agoOf)).to.deep.equal([6, 5, 4, 3]);
  });

  it('keep what the owner has asked for meanwhile, whatever becomes of the call', async () => {
    const id = await makeEndpoint('https://example.com/');
    const [endpoint] = await claim('slow');
    const { others } = await takeDue(service.db, endpoint!);
    const askedAt = new Date(Date.now() + 5);
    await retryDelivery(service.db, endpoint!, others[0]!, askedAt);
    const attempt = { attemptedAt: new Date(), durationMs: 1, statusCode: 500, response: '', error: null };
    await recordAttempt(service.db, others[0]!, attempt);
    await release(endpoint!, { outcome: 'failed', durationMs: 1, isPing: false });
    expect(await Delivery.query(service.db).findById(others[0]!.id)).to.deep.include({
      status: 'pending',
      attempts: 1,
      nextAttemptAt: askedAt,
    });
    expect(await Endpoint.query(service.db).findById(id)).to.include({ failures: 0, leasedUntil: null });
  });

  it('are taken by a worker as far as it has room, and again when a call has ended', async () => {
    const maxSlow = 24;
    for (let n = 0; n < maxSlow + 2; n += 1) await makeEndpoint(`https://host-${n}.example.com/`);
    const calls: (() => void)[] = [];
    const deliverer = createWebhookDeliverer({
      db: service.db,
      box,
      send: () => new Promise((resolve) => calls.push(() => resolve({ status: 204, body: '' }))),
      timeoutMs: 60_000,
      baseUrl: 'https://qr.test',
      userAgent: 'test',
      onCall: () => undefined,
      tellOwners: async () => undefined,
      log: testLog(),
    });
    const leased = async () => (await service.db('webhook_endpoints').whereNotNull('leased_until')).length;
    await deliverer.start();
    await eventually(() => expect(calls).to.have.length(maxSlow));
    await deliverer.start();
    expect(await leased()).to.equal(maxSlow);
    calls[0]?.();
    await eventually(async () => expect(await leased()).to.equal(maxSlow - 1));
    await eventually(async () => {
      await deliverer.start();
      expect(calls).to.have.length(maxSlow + 1);
    });
    expect(await leased()).to.equal(maxSlow);
    for (const end of calls) end();
    await deliverer.close();
    expect(await leased()).to.equal(0);
  });

  it('of a claim that ran out change nothing of the next one', async () => {
    const id = await makeEndpoint('https://example.com/');
    const [late] = await claim('slow');
    await service
      .db('webhook_endpoints')
      .where({ id })
      .update({ leased_until: new Date(0) });
    const [next] = await claim('slow');
    await release(late!, { outcome: 'gone', durationMs: 1, isPing: false });
    const row = await Endpoint.query(service.db).findById(id).throwIfNotFound();
    expect(row).to.deep.include({ isEnabled: true, leasedUntil: next?.leasedUntil });
    expect(await claim('slow')).to.deep.equal([]);
  });

  describe('of an endpoint that fails', () => {
    const failedCall: Call = { outcome: 'failed', durationMs: 10, isPing: false };
    const insert = (endpointId: string, event: string, columns: object = {}) =>
      service.db('webhook_deliveries').insert({ endpoint_id: endpointId, event, ...columns });
    const addScans = (endpointId: string) =>
      service.db('webhook_scans').insert({
        endpoint_id: endpointId,
        qr_code_id: randomUUID(),
        scan_ids: [randomUUID()],
      });
    const rowOf = (id: string) => Endpoint.query(service.db).findById(id).throwIfNotFound();
    /** The next call, which the endpoint answers. */
    async function answer(id: string, statusCode: number): Promise<Delivery[]> {
      await service
        .db('webhook_endpoints')
        .where({ id })
        .update({ retry_at: new Date(0) });
      const [endpoint] = [...(await claim('slow')), ...(await claim('fast'))];
      const { scans, others } = await takeDue(service.db, endpoint!);
      const sent = scans ? [scans, ...others] : others;
      const outcome = statusCode < 300 ? ('delivered' as const) : ('failed' as const);
      const attempt = { attemptedAt: new Date(), durationMs: 1, statusCode, response: '', error: null };
      for (const delivery of sent) await recordAttempt(service.db, delivery, attempt);
      await release(
        endpoint!,
        ...sent.map(({ event }) => ({ outcome, durationMs: 1, isPing: event === 'ping' })),
      );
      return sent;
    }

    it('begin with what it has not refused yet, be it an event or scans', async () => {
      const id = await makeEndpoint('https://example.com/');
      await service.db('webhook_deliveries').delete();
      await insert(id, 'code.updated');
      await answer(id, 422);
      await insert(id, 'code.created');
      await addScans(id);
      const names = async () => (await answer(id, 503)).map(({ event }) => event);
      expect(await names()).to.deep.equal(['code.created']);
      expect(await names()).to.deep.equal(['scan.recorded']);
      await addScans(id);
      expect(await names()).to.deep.equal(['scan.recorded']);
      // Each has been refused once: then in turn.
      const again = [...(await names()), ...(await names()), ...(await names()), ...(await names())];
      expect(again).to.have.members(['code.updated', 'code.created', 'scan.recorded', 'scan.recorded']);
      expect(await rowOf(id)).to.include({ failures: 8 });
      await addScans(id);
      await answer(id, 200);
      expect(await rowOf(id)).to.include({ failures: 0, failingSince: null });
    });

    it('are not counted by pings, but pause after them', async () => {
      const id = await makeEndpoint('https://example.com/');
      await answer(id, 500);
      expect(await rowOf(id)).to.include({ failures: 0, failingSince: null });
      await insert(id, 'code.created');
      await service.db('webhook_endpoints').update({ failures: 3, failing_since: new Date(0) });
      await service.db('webhook_deliveries').where({ event: 'code.created' }).update({ attempts: 5 });
      const [ping] = await answer(id, 500);
      expect(ping?.event).to.equal('ping');
      const row = await rowOf(id);
      expect(row).to.include({ failures: 3, isEnabled: true });
      expect(row.retryAt.getTime()).to.be.greaterThan(Date.now() + 2_000);
    });

    it('follow after twice the time of the last one, up to an hour; a delivery after 5 s, up to six hours', async () => {
      const id = await makeEndpoint('https://example.com/');
      await service.db('webhook_deliveries').delete();
      const attempt = { attemptedAt: new Date(), durationMs: 1, statusCode: 500, response: '', error: null };
      for (const [failures, pauseSeconds, retrySeconds] of [
        [0, 1, 5],
        [1, 2, 10],
        [2, 4, 20],
        [6, 64, 320],
        [11, 2_048, 10_240],
        [12, 3_600, 20_480],
        [13, 3_600, 21_600],
        [60, 3_600, 21_600],
      ] as const) {
        const delivery = await Delivery.query(service.db)
          .insert({ endpointId: id, event: 'code.created', attempts: failures })
          .returning('*')
          .first()
          .throwIfNotFound();
        await service
          .db('webhook_endpoints')
          .update({ failures, failing_since: new Date(), retry_at: new Date(0) });
        const [endpoint] = [...(await claim('slow')), ...(await claim('fast'))];
        const [before, startedAt] = [Date.now(), performance.now()];
        await recordAttempt(service.db, delivery, attempt);
        await release(endpoint!, failedCall);
        const tookMs = performance.now() - startedAt + 5;
        const stored = await Delivery.query(service.db).findById(delivery.id).throwIfNotFound();
        const { retryAt, failures: counted } = await rowOf(id);
        expect(stored).to.include({ status: 'pending', attempts: failures + 1, finishedAt: null });
        expect(counted).to.equal(failures + 1);
        // With a jitter of a fifth.
        for (const [at, seconds] of [
          [stored.nextAttemptAt, retrySeconds],
          [retryAt, pauseSeconds],
        ] as const)
          expect(at.getTime() - before, `after ${failures} failures`).to.be.within(
            seconds * 800 - 5,
            seconds * 1_200 + tookMs,
          );
      }
    });

    it('end three days after the event, or after the owner asked for another attempt', async () => {
      const id = await makeEndpoint('https://example.com/');
      await service.db('webhook_deliveries').delete();
      await insert(id, 'code.created', { give_up_at: new Date(Date.now() - 1_000), attempts: 20 });
      const [tried] = await answer(id, 500);
      const failed = await Delivery.query(service.db).findById(tried!.id).throwIfNotFound();
      expect(failed).to.include({ status: 'failed', attempts: 21 });
      expect(failed.finishedAt).to.be.a('date');
      const again = await retryDelivery(service.db, await rowOf(id), failed, new Date());
      expect(again).to.include({ status: 'pending', finishedAt: null });
      expect(again.giveUpAt.getTime() - Date.now()).to.be.within(3 * 86_400_000 - 60_000, 3 * 86_400_000);
      await answer(id, 500);
      expect(await Delivery.query(service.db).findById(failed.id)).to.include({
        status: 'pending',
        attempts: 22,
      });
    });

    it('disable it after three days of failures, and not before', async () => {
      const threeDays = 3 * 86_400_000;
      for (const [sinceMs, isEnabled] of [
        [threeDays - 60_000, true],
        [threeDays + 1_000, false],
      ] as const) {
        const id = await makeEndpoint(`https://${isEnabled ? 'one' : 'two'}.example.com/`);
        await insert(id, 'code.created');
        const failingSince = new Date(Date.now() - sinceMs);
        await service
          .db('webhook_endpoints')
          .where({ id })
          .update({ failures: 9, failing_since: failingSince, retry_at: new Date(0) });
        const endpoint = (await claim('slow')).find((one) => one.id === id);
        const { isDisabled } = await release(endpoint!, failedCall);
        expect(isDisabled).to.equal(!isEnabled);
        expect(await rowOf(id)).to.deep.include({ isEnabled, failures: 10, failingSince });
      }
    });

    it('begin anew when nothing is left to be sent', async () => {
      const id = await makeEndpoint('https://example.com/');
      await service.db('webhook_deliveries').delete();
      await insert(id, 'code.created');
      await answer(id, 500);
      expect(await rowOf(id)).to.include({ failures: 1 });
      await service
        .db('webhook_endpoints')
        .update({ failing_since: new Date(Date.now() - 4 * 86_400_000), retry_at: new Date(0) });
      const [endpoint] = await claim('slow');
      const { others } = await takeDue(service.db, endpoint!);
      await cancelDelivery(service.db, others[0]!);
      await release(endpoint!);
      expect(await rowOf(id)).to.include({ failures: 0, failingSince: null, isEnabled: true });
      await insert(id, 'code.created');
      await answer(id, 500);
      expect(await rowOf(id)).to.include({ failures: 1, isEnabled: true });
    });

    it('pause by the clock of the database, not of the worker', async () => {
      const id = await makeEndpoint('https://example.com/');
      await insert(id, 'code.created');
      const [endpoint] = await claim('slow');
      mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
      try {
        const scans = { nextInMs: 900 };
        await releaseEndpoint(service.db, endpoint!, { calls: [failedCall], scans });
      } finally {
        mock.timers.reset();
      }
      const { retryAt, scansAt, failingSince } = await rowOf(id);
      for (const time of [retryAt, scansAt, failingSince!])
        expect(time.getTime()).to.be.within(Date.now() - 5_000, Date.now() + 5_000);
    });
  });
});
