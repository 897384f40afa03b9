import { expect } from 'chai';
import { User } from '../../src/accounts/users.ts';
import { deleteUser } from '../../src/accounts/deletion.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { purgeDeletedCodes } from '../../src/scans/purge-deleted-codes.ts';
import { Scan } from '../../src/scans/scan.ts';
import {
  gatherScans,
  Delivery,
  periodErrors,
  readBacklog,
  replayPeriod,
  writeExpiringEvents,
} from '../../src/webhooks/deliveries.ts';
import { firstIdAt } from '../../src/store/time-ordered-id.ts';
import { dropPending, purgeCodeDeliveries, purgeDeliveries } from '../../src/webhooks/purge-deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  Endpoint,
  resealSecrets,
} from '../../src/webhooks/endpoints.ts';
import { recordAttempt } from '../../src/webhooks/endpoint-turns.ts';
import { createSecretBox } from '../../src/webhooks/signing.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

describe('Upkeep of webhooks', () => {
  let service: TestService;
  let api: ApiClient;
  let user: User;
  let endpoint: Endpoint;
  let users = 0;
  const box = createSecretBox([Buffer.alloc(32, 1)]);

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    const email = `upkeep-${(users += 1)}@example.com`;
    api = apiClient(service.url, await service.makeKey({ email }));
    user = await User.query(service.db).findOne({ email }).throwIfNotFound();
    ({ endpoint } = await createEndpoint(
      service.db,
      ownWorkspaceId(user),
      {
        url: 'https://example.com/hook',
        name: 'Test',
        events: ['code.expiring', 'scan.recorded', 'code.deleted'],
        codeIds: null,
        categories: null,
      },
      { box, quota: 3, now: new Date() },
    ));
  });
  after(() => service.stop());

  const deliveries = () =>
    service.db('webhook_deliveries').where({ endpoint_id: endpoint.id }).orderBy('id') as Promise<
      { id: string; event: string; data: { days_left: number } }[]
    >;
  const never = () => false;

  it('write code.expiring once for 30, 7 and 1 days, and again for another end', async () => {
    const now = Date.now();
    const { id } = await createCode(api, { expiresAt: new Date(now + 29 * dayMs).toISOString() });
    const daysLeft = async (daysLater: number) => {
      await writeExpiringEvents(service.db, new Date(now + daysLater * dayMs));
      return (await deliveries()).map(({ data }) => data.days_left);
    };
    expect(await daysLeft(-5)).to.deep.equal([]);
    expect(await daysLeft(0)).to.deep.equal([30]);
    expect(await daysLeft(1)).to.deep.equal([30]);
    expect(await daysLeft(23)).to.deep.equal([30, 7]);
    expect(await daysLeft(28.5)).to.deep.equal([30, 7, 1]);
    expect(await daysLeft(30)).to.deep.equal([30, 7, 1]);
    await api(`/qrcodes/${id}`, {
      method: 'PATCH',
      body: { expiresAt: new Date(now + 36 * dayMs).toISOString() },
    });
    expect(await daysLeft(30)).to.deep.equal([30, 7, 1, 7]);
  });

  it('purge deliveries a day after they can be replayed, and scans that wait for an endpoint that is gone', async () => {
    const old = firstIdAt(new Date(Date.now() - 32.1 * dayMs));
    const from = new Date(Date.now() - 31 * dayMs);
    const recent = firstIdAt(from);
    expect(
      periodErrors({ from: new Date(from.getTime() + 1_000), to: new Date() }, new Date()),
    ).to.deep.equal([]);
    expect(
      periodErrors({ from: new Date(from.getTime() - 1_000), to: new Date() }, new Date()),
    ).to.have.length(1);
    await service
      .db('webhook_deliveries')
      .insert([old, recent].map((id) => ({ id, endpoint_id: endpoint.id, event: 'ping' })));
    const { id } = await createCode(api);
    await Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
    const waiting = () =>
      service.db('webhook_scans').where({ endpoint_id: endpoint.id }) as Promise<object[]>;
    await purgeDeliveries(service.db, new Date(), never);
    expect((await deliveries()).map((delivery) => delivery.id)).to.deep.equal([recent]);
    expect(await waiting()).to.have.length(1);
    await service.db('webhook_endpoints').where({ id: endpoint.id }).delete();
    await purgeDeliveries(service.db, new Date(), never);
    expect(await waiting()).to.deep.equal([]);
  });

  it('delete everything with the account', async () => {
    const { id } = await createCode(api);
    await Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
    await deleteUser(service.db, user);
    await purgeDeliveries(service.db, new Date(), never);
    for (const table of ['webhook_endpoints', 'webhook_deliveries', 'webhook_scans']) {
      const column = table === 'webhook_endpoints' ? 'id' : 'endpoint_id';
      expect(await service.db(table).where({ [column]: endpoint.id }), table).to.deep.equal([]);
    }
  });

  it('purge the log of a deleted endpoint in steps, and what a transaction still adds to it', async () => {
    const fill = () =>
      service.db.raw(
        `INSERT INTO webhook_deliveries (endpoint_id, event, status) SELECT :id, 'ping', 'delivered' FROM generate_series(1, 5000)`,
        { id: endpoint.id },
      );
    await fill();
    await service.db('deleted_endpoints').delete();
    await deleteEndpoint(service.db, ownWorkspaceId(user), endpoint.id);
    expect(await deliveries()).to.have.length(5_000);
    // Whose time is over after the first step.
    let steps = 0;
    await purgeDeliveries(service.db, new Date(), () => (steps += 1) > 4);
    expect((await deliveries()).length).to.be.within(1, 3_000);
    await purgeDeliveries(service.db, new Date(), never);
    expect(await deliveries()).to.deep.equal([]);
    await fill();
    await purgeDeliveries(service.db, new Date(Date.now() + 11 * 60_000), never);
    expect(await deliveries()).to.deep.equal([]);
    expect(await service.db('deleted_endpoints').where({ id: endpoint.id })).to.deep.equal([]);
  });

  it('purge what the log has of a deleted code, and its events that wait when they are finished', async () => {
    const kept = await createCode(api);
    const { id } = await createCode(api);
    const insert = (qr_code_id: string, event: string, status: string) =>
      service.db('webhook_deliveries').insert({
        endpoint_id: endpoint.id,
        event,
        qr_code_id,
        status,
        finished_at: status === 'pending' ? null : new Date(),
      });
    await insert(kept.id, 'code.updated', 'delivered');
    for (const status of ['delivered', 'failed', 'pending', 'pending'])
      await insert(id, 'code.updated', status);
    await api(`/qrcodes/${id}?permanently=true`, { method: 'DELETE' });
    await purgeDeletedCodes(service.db, never, (codeId) => purgeCodeDeliveries(service.db, codeId));
    const ofCode = async () => Delivery.query(service.db).where({ qr_code_id: id }).orderBy('id');
    expect((await ofCode()).map(({ event, status }) => [event, status])).to.deep.equal([
      ['code.updated', 'pending'],
      ['code.updated', 'pending'],
      ['code.deleted', 'pending'],
    ]);

    const [first, , last] = (await ofCode()) as [Delivery, Delivery, Delivery];
    const attempt = { attemptedAt: new Date(), durationMs: 1, statusCode: 200, response: '', error: null };
    await recordAttempt(service.db, first, attempt);
    await recordAttempt(service.db, last, attempt);
    await changeEndpoint(service.db, ownWorkspaceId(user), endpoint.id, { isEnabled: false }, new Date());
    expect((await ofCode()).map(({ event, status }) => [event, status])).to.deep.equal([
      ['code.deleted', 'delivered'],
    ]);
    await purgeDeliveries(service.db, new Date(Date.now() + 0.9 * dayMs), never);
    expect(await ofCode()).to.have.length(1);
    await purgeDeliveries(service.db, new Date(Date.now() + 1.1 * dayMs), never);
    expect(await ofCode()).to.deep.equal([]);
    expect((await deliveries()).map(({ event }) => event)).to.deep.equal(['code.updated']);
  });

  it('remove the backlog of a disabled endpoint in steps, and send none of it when it is enabled again', async () => {
    const count = 5_000;
    const fill = async () => {
      await service.db.raw(
        `INSERT INTO webhook_deliveries (endpoint_id, event) SELECT :id, 'code.expiring' FROM generate_series(1, :count::int)`,
        { id: endpoint.id, count },
      );
      await service.db.raw(
        `INSERT INTO webhook_scans (endpoint_id, qr_code_id, scan_ids)
         SELECT :id, gen_random_uuid(), ARRAY[gen_random_uuid()] FROM generate_series(1, :count::int)`,
        { id: endpoint.id, count },
      );
    };
    const waiting = async () => ({
      pending: await Delivery.query(service.db)
        .where({ endpoint_id: endpoint.id, status: 'pending' })
        .resultSize(),
      scans: (await service.db('webhook_scans').where({ endpoint_id: endpoint.id })).length,
    });
    const disable = () =>
      service.db('webhook_endpoints').where({ id: endpoint.id }).update({ is_enabled: false });
    const change = (isEnabled: boolean) =>
      changeEndpoint(service.db, ownWorkspaceId(user), endpoint.id, { isEnabled }, new Date());

    await fill();
    // Nothing of an endpoint that is enabled.
    expect(await dropPending(service.db, endpoint.id, 10_000)).to.equal(true);
    expect(await waiting()).to.deep.equal({ pending: count, scans: count });
    await change(false);
    expect(await waiting()).to.deep.equal({ pending: 0, scans: 0 });

    // Disabled by a worker that was killed before it had removed anything.
    await change(true);
    await fill();
    await disable();
    let steps = 0;
    await purgeDeliveries(service.db, new Date(), () => (steps += 1) > 5);
    expect((await waiting()).pending).to.be.within(1, count);
    await purgeDeliveries(service.db, new Date(), never);
    expect(await waiting()).to.deep.equal({ pending: 0, scans: 0 });

    await change(true);
    await fill();
    await disable();
    await change(true);
    expect(await waiting()).to.deep.equal({ pending: 0, scans: 0 });
    await service.db('webhook_deliveries').where({ endpoint_id: endpoint.id }).delete();
  });

  it('log events of codes that happen while the endpoint is disabled, for a replay', async () => {
    const { id } = await createCode(api);
    await changeEndpoint(service.db, ownWorkspaceId(user), endpoint.id, { isEnabled: false }, new Date());
    await api(`/qrcodes/${id}`, { method: 'DELETE' });
    const [missed] = await Delivery.query(service.db).where({ endpoint_id: endpoint.id });
    expect(missed).to.include({ event: 'code.deleted', status: 'failed', attempts: 0 });
    expect(missed?.finishedAt).to.be.a('date');
    const enabled = await changeEndpoint(
      service.db,
      ownWorkspaceId(user),
      endpoint.id,
      { isEnabled: true },
      new Date(),
    );
    const period = { from: new Date(Date.now() - 60_000), to: new Date() };
    expect(await replayPeriod(service.db, enabled, period, new Date())).to.deep.equal({
      deliveries: 1,
      scans: 0,
    });
    const [replayed] = await Delivery.query(service.db).where({ endpoint_id: endpoint.id });
    expect(replayed).to.include({ id: missed?.id, status: 'pending' });
  });

  it('replay a period once when it is asked for twice at the same time', async () => {
    const { id } = await createCode(api);
    await changeEndpoint(service.db, ownWorkspaceId(user), endpoint.id, { isEnabled: false }, new Date());
    const rows = Array.from({ length: 5 }, () => scanRow(id, new Date().toISOString()));
    await Scan.record(service.db, rows);
    const enabled = await changeEndpoint(
      service.db,
      ownWorkspaceId(user),
      endpoint.id,
      { isEnabled: true },
      new Date(),
    );
    const period = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 1_000) };
    const replays = await Promise.all(
      Array.from({ length: 3 }, () => replayPeriod(service.db, enabled, period, new Date())),
    );
    expect(replays.map(({ scans }) => scans).toSorted((a, b) => a - b)).to.deep.equal([0, 0, 5]);
    const waiting = (await service.db('webhook_scans').where({ endpoint_id: endpoint.id })) as {
      scan_ids: string[];
    }[];
    expect(waiting.flatMap(({ scan_ids }) => scan_ids)).to.have.members(rows.map((row) => row.id));
  });

  it('replay neither what is still pending nor scans that a delivery of the log has', async () => {
    const { id } = await createCode(api);
    await Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
    const sent = await gatherScans(service.db, endpoint.id);
    const attempt = { attemptedAt: new Date(), durationMs: 1, statusCode: 204, response: '', error: null };
    await recordAttempt(service.db, sent!, attempt);
    await service.db('webhook_deliveries').insert({ endpoint_id: endpoint.id, event: 'ping', attempts: 3 });
    const period = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 1_000) };
    expect(await replayPeriod(service.db, endpoint, period, new Date())).to.deep.equal({
      deliveries: 1,
      scans: 0,
    });
    // A period that ends before them has nothing.
    const before = { from: new Date(Date.now() - 120_000), to: period.from };
    expect(await replayPeriod(service.db, endpoint, before, new Date())).to.deep.equal({
      deliveries: 0,
      scans: 0,
    });
  });

  it('replay nothing of a period with more than 10,000 deliveries', async () => {
    await service.db.raw(
      `INSERT INTO webhook_deliveries (endpoint_id, event, status) SELECT :id, 'ping', 'failed' FROM generate_series(1, 10001)`,
      { id: endpoint.id },
    );
    const period = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 1_000) };
    const pending = () =>
      Delivery.query(service.db).where({ endpoint_id: endpoint.id, status: 'pending' }).resultSize();
    const refusal: unknown = await replayPeriod(service.db, endpoint, period, new Date()).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.include({ code: 'validation_error' });
    expect(await pending()).to.equal(0);
    await service.db.raw(
      `DELETE FROM webhook_deliveries WHERE id = (SELECT id FROM webhook_deliveries WHERE endpoint_id = :id LIMIT 1)`,
      { id: endpoint.id },
    );
    expect(await replayPeriod(service.db, endpoint, period, new Date())).to.include({ deliveries: 10_000 });
    expect(await pending()).to.equal(10_000);
    await service.db('webhook_deliveries').where({ endpoint_id: endpoint.id }).delete();
  });

  it('tell how much waits, for how long, and in which state the endpoints are', async () => {
    await service.db('webhook_endpoints').whereNot({ id: endpoint.id }).delete();
    await service.db('webhook_deliveries').delete();
    await service.db('webhook_scans').delete();
    expect(await readBacklog(service.db)).to.deep.equal({
      waiting: 0,
      lateSeconds: 0,
      endpoints: { working: 1, failing: 0, disabled: 0, off: 0 },
    });
    const { id } = await createCode(api);
    await Scan.record(service.db, [scanRow(id, new Date().toISOString())]);
    const before = new Date(Date.now() - 90_000);
    await service.db('webhook_deliveries').insert([
      { endpoint_id: endpoint.id, event: 'ping', next_attempt_at: before },
      { endpoint_id: endpoint.id, event: 'ping', next_attempt_at: new Date(Date.now() + 90_000) },
      { endpoint_id: endpoint.id, event: 'ping', next_attempt_at: before, status: 'delivered' },
    ]);
    const change = (columns: object) =>
      service.db('webhook_endpoints').where({ id: endpoint.id }).update(columns);
    await change({ retry_at: new Date(Date.now() - 60_000) });
    const backlog = await readBacklog(service.db);
    expect(backlog.waiting).to.equal(3);
    expect(backlog.lateSeconds).to.be.within(60, 89);
    await change({ failures: 1 });
    expect(await readBacklog(service.db)).to.deep.include({
      lateSeconds: 0,
      endpoints: { working: 0, failing: 1, disabled: 0, off: 0 },
    });
    await change({ is_enabled: false, disabled_reason: 'gone' });
    expect((await readBacklog(service.db)).endpoints).to.include({ failing: 0, disabled: 1, off: 0 });
    await change({ disabled_reason: 'owner' });
    expect((await readBacklog(service.db)).endpoints).to.include({ disabled: 0, off: 1 });
  });

  it('encrypt secrets again, although another one was encrypted with a root secret that is lost', async () => {
    const lost = createSecretBox([Buffer.alloc(32, 9)]);
    await service
      .db('webhook_endpoints')
      .whereNot({ id: endpoint.id })
      .update({ sealed_secret: lost.seal('whsec_lost'), secret_key: lost.keyName });
    const rotated = createSecretBox([Buffer.alloc(32, 3), Buffer.alloc(32, 1)]);
    await resealSecrets(service.db, rotated);
    const stored = await Endpoint.query(service.db).findById(endpoint.id).throwIfNotFound();
    expect(stored.secretKey).to.equal(rotated.keyName);
    await service.db('webhook_endpoints').whereNot({ id: endpoint.id }).delete();
  });

  it('encrypt secrets again with a new root secret', async () => {
    const rotated = createSecretBox([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
    const secret = box.open(endpoint.sealedSecret);
    await resealSecrets(service.db, rotated);
    const stored = await Endpoint.query(service.db).findById(endpoint.id).throwIfNotFound();
    expect(createSecretBox([Buffer.alloc(32, 2)]).open(stored.sealedSecret)).to.equal(secret);
    expect(() => box.open(stored.sealedSecret)).to.throw('cannot be decrypted');
  });
});
