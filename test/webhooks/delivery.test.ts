import type { ServerResponse } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { Scan } from '../../src/scans/scan.ts';
import { mailQueue } from '../../src/queue/mail-queue.ts';
import { periodicQueue } from '../../src/queue/periodic-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { waitUntilReady } from '../../src/queue/queue-connection.ts';
import { tellOfDisabled } from '../../src/webhooks/endpoints.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';

const allEvents = ['code.created', 'code.updated', 'code.deleted', 'code.expiring', 'scan.recorded'];

describe('Webhooks', () => {
  let service: TestService;
  let receiver: Receiver;
  let mails: MailServer;
  let api: ApiClient;
  let email: string;
  let endpoints = 0;

  before(async () => {
    mails = await startMailServer();
    service = await startService({
      worker: true,
      config: { webhooks: { networks: ['127.0.0.0/8'], timeoutSeconds: 3 }, mail: mails.config },
    });
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    email = `hooks-${(endpoints += 1)}@example.com`;
    api = apiClient(service.url, await service.makeKey({ email }));
    await service.db('users').where({ email }).update({ confirmed_email: email });
  });
  afterEach(() => receiver.stop());
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  async function subscribe(fields: object = {}): Promise<{ id: string; path: string }> {
    const path = `/hook-${(endpoints += 1)}`;
    const { status, body } = await api('/webhooks', {
      method: 'POST',
      body: { url: receiver.url + path, name: 'Test', events: allEvents, ...fields },
    });
    expect(status).to.equal(201);
    receiver.secrets.set(path, body.secret as string);
    return { id: body.id as string, path };
  }
  /** Without the rate limit of the API. */
  const rowOf = (id: string) =>
    service.db('webhook_endpoints').where({ id }).first() as Promise<{
      failing_since: Date | null;
      leased_until: Date | null;
      owner_told_at: Date | null;
    }>;
  const record = (codeId: string, count: number) => {
    const rows = Array.from({ length: count }, () => scanRow(codeId, new Date().toISOString()));
    return Scan.record(service.db, rows).then(() => rows.map(({ id }) => id));
  };
  const scanIds = () => receiver.of('scan.recorded').flatMap(({ data }) => idsOf(data));
  const idsOf = (data: { scans: { id: string }[] }) => data.scans.map(({ id }) => id);

  it('call the endpoint when a code is created, changed, scanned and deleted, as the OpenAPI document says', async () => {
    await subscribe();
    const code = await createCode(api, { category: 'Menus' });
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { name: 'Renamed' } });
    const [scanId] = await record(code.id, 1);
    await eventually(() => expect(scanIds()).to.deep.equal([scanId]));
    await api(`/qrcodes/${code.id}`, { method: 'DELETE' });
    await eventually(() => expect(receiver.received).to.have.length(4));
    expect(receiver.unverified).to.deep.equal([]);
    expect(receiver.of('code.created')[0]?.data.qrCode).to.include({
      id: code.id,
      name: 'Test',
      shareUrl: code.shareUrl,
      category: 'Menus',
    });
    expect(receiver.of('code.updated')[0]?.data.qrCode.name).to.equal('Renamed');
    expect(receiver.of('code.deleted')[0]?.data.qrCode.id).to.equal(code.id);

    const document = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as object;
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', ...document });
    for (const { type, body } of receiver.received) {
      const at = `api#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
      const validate = ajv.getSchema(at);
      expect(validate?.(JSON.parse(body)), JSON.stringify(validate?.errors)).to.equal(true);
      expect(body).to.not.match(/address|userId|user_id/);
    }
  });

  it('send up to 100 scans in a call, and make at most one such call a second', async () => {
    const { id } = await subscribe({ events: ['scan.recorded'] });
    const code = await createCode(api);
    const ids = await record(code.id, 250);
    await eventually(() => expect(scanIds()).to.have.members(ids));
    const calls = receiver.of('scan.recorded');
    expect(calls.map(({ data }) => data.scans.length)).to.deep.equal([100, 100, 50]);
    // When the calls were made: on a busy machine, one may be a while on its way.
    const madeAt = await eventually(async () => {
      const attempts = (await service
        .db('webhook_attempts AS attempt')
        .join('webhook_deliveries AS delivery', 'delivery.id', 'attempt.delivery_id')
        .where({ endpoint_id: id })
        .orderBy('attempt.id')
        .select('attempted_at')) as { attempted_at: Date }[];
      expect(attempts).to.have.length(3);
      return attempts.map(({ attempted_at: at }) => at.getTime());
    });
    for (const [index, at] of madeAt.slice(1).entries())
      expect(at - (madeAt[index] ?? 0)).to.be.at.least(995);
  });

  it('send events of the chosen codes and categories only', async () => {
    const [chosen, other] = [await createCode(api), await createCode(api)];
    await subscribe({ events: ['scan.recorded'], qrCodeIds: [chosen.id], categories: ['Menus'] });
    const inCategory = await createCode(api, { category: 'Menus' });
    const ids = [...(await record(chosen.id, 1)), ...(await record(inCategory.id, 1))];
    await record(other.id, 1);
    await eventually(() => expect(scanIds()).to.have.members(ids));
    const { rows } = (await service.db.raw('SELECT count(*) AS count FROM webhook_scans')) as {
      rows: [{ count: number }];
    };
    expect(rows[0].count).to.equal(0);
  });

  it('repeat a call that failed, with the same webhook-id and body, and log each attempt', async () => {
    const { id } = await subscribe({ events: ['code.created'] });
    receiver.answer = (_request, response) =>
      void response.writeHead(receiver.received.length === 1 ? 500 : 204).end();
    await createCode(api);
    await eventually(() => expect(receiver.received).to.have.length(2));
    const [first, second] = receiver.received;
    expect(second).to.include({ id: first?.id, body: first?.body });
    await eventually(async () => {
      const row = (await service.db('webhook_deliveries').where({ endpoint_id: id }).first()) as object;
      expect(row).to.include({ status: 'delivered', attempts: 2 });
    });
    const { body: log } = await api(`/webhooks/${id}/deliveries?status=delivered`);
    expect(log.data[0]).to.include({ status: 'delivered', attempts: 2, messageId: first?.id });
    const { body: detail } = await api(`/webhook-deliveries/${log.data[0].id}`);
    expect(detail.requestBody).to.equal(first?.body);
    expect(detail.calls.map((call: { statusCode: number }) => call.statusCode)).to.deep.equal([500, 204]);
    expect((await api(`/webhooks/${id}`)).body.failingSince).to.equal(null);
  });

  it('reach other endpoints while one hangs', async () => {
    const slow = await subscribe({ events: ['code.created'] });
    await subscribe({ events: ['code.created'] });
    receiver.answer = (request, response) => {
      if (request.path !== slow.path) response.end();
    };
    await createCode(api);
    await eventually(() => expect(receiver.received).to.have.length(2));
    await eventually(async () => expect((await rowOf(slow.id)).failing_since).to.be.a('date'));
    const { body: log } = await api(`/webhooks/${slow.id}/deliveries`);
    const { body: detail } = await api(`/webhook-deliveries/${log.data[0].id}`);
    expect(detail.calls[0].error).to.equal('No complete response within 3 s');
  });

  it('are signed with both secrets for a day after a rotation', async () => {
    const { id, path } = await subscribe({ events: ['code.created'] });
    const old = receiver.secrets.get(path) ?? '';
    const { body } = await api(`/webhooks/${id}/rotate-secret`, { method: 'POST' });
    expect(body.secret).to.not.equal(old);
    for (const secret of [old, body.secret as string]) {
      receiver.secrets.set(path, secret);
      await api(`/webhooks/${id}/test`, { method: 'POST' });
      await eventually(() => expect(receiver.of('ping')).to.have.length(secret === old ? 1 : 2));
    }
    await service
      .db('webhook_endpoints')
      .where({ id })
      .update({ previous_secret_until: new Date(0) });
    await api(`/webhooks/${id}/test`, { method: 'POST' });
    await eventually(() => expect(receiver.of('ping')).to.have.length(3));
    expect(String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ')).to.have.length(1);
    expect(receiver.unverified).to.deep.equal([]);
  });

  it('stop after three days of failures, and say so; a replay sends what was missed', async () => {
    const { id } = await subscribe({ events: ['scan.recorded', 'code.updated'] });
    const code = await createCode(api);
    const from = new Date(Date.now() - 60_000);
    receiver.answer = (_request, response) => void response.writeHead(500).end();
    await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { name: 'Renamed' } });
    await eventually(() => expect(receiver.received).to.not.have.length(0));
    await eventually(async () => {
      // Not during a call: what is written then counts, and the call does not.
      const updated = await service
        .db('webhook_endpoints')
        .where({ id, leased_until: null })
        .whereNotNull('failing_since')
        .update({ failing_since: new Date(Date.now() - 73 * 3_600_000), retry_at: new Date() });
      expect(updated).to.equal(1);
    });
    await eventually(async () =>
      expect(await rowOf(id)).to.include({ is_enabled: false, disabled_reason: 'failing' }),
    );
    expect((await api(`/webhooks/${id}`)).body).to.include({ isEnabled: false, disabledReason: 'failing' });
    const missed = await record(code.id, 3);
    receiver.answer = (_request, response) => void response.end();
    receiver.received.length = 0;
    expect((await api(`/webhooks/${id}/test`, { method: 'POST' })).status).to.equal(400);
    await api(`/webhooks/${id}`, { method: 'PATCH', body: { isEnabled: true } });
    const period = { from: from.toISOString(), to: new Date(Date.now() + 1_000).toISOString() };
    const { body } = await api(`/webhooks/${id}/replay`, { method: 'POST', body: period });
    expect(body).to.deep.equal({ deliveries: 1, scans: 3 });
    await eventually(() => expect(scanIds()).to.have.members(missed));
    await eventually(() => expect(receiver.of('code.updated')).to.have.length(1));
  });

  it('end where the endpoint answers 410, and its owner gets one mail', async () => {
    const { id } = await subscribe({ events: ['code.created'], name: 'Till' });
    receiver.answer = (_request, response) => void response.writeHead(410).end();
    await createCode(api);
    await eventually(async () =>
      expect(await rowOf(id)).to.include({ is_enabled: false, disabled_reason: 'gone' }),
    );
    const [mail] = await mails.mailsTo(email);
    expect(mail?.headers['subject']).to.equal('Your webhook “Till” was disabled');
    expect(linkIn(mail!)).to.match(new RegExp(`^https://qr\\.test/w/[\\w-]+/webhooks/${id}$`));
    await tellOfDisabled(service.db, () => Promise.reject(new Error('told again')), new Date());

    // The next time is another mail.
    await api(`/webhooks/${id}`, { method: 'PATCH', body: { isEnabled: true } });
    await createCode(api);
    await mails.mailsTo(email, 2);
  });

  it('send no mail to an address that nobody has confirmed', async () => {
    await service.db('users').where({ email }).update({ confirmed_email: null });
    const { id } = await subscribe({ events: ['code.created'], name: 'Buy at evil.example' });
    receiver.answer = (_request, response) => void response.writeHead(410).end();
    await createCode(api);
    await eventually(async () => expect((await rowOf(id)).owner_told_at).to.be.a('date'));
    const queue = openQueueClient({
      place: { databaseUrl: service.databaseUrl, redisUrl: undefined },
      log: testLog(),
    });
    await waitUntilReady(queue);
    await eventually(async () => expect(await queue.pending(mailQueue)).to.equal(0));
    await queue.close();
    expect(mails.received.filter(({ to }) => to.includes(email))).to.deep.equal([]);
  });

  it('keep what the owner sets during a call, whatever becomes of the call', async () => {
    const hold = () => {
      const waiting: ServerResponse[] = [];
      receiver.answer = (_request, response) => void waiting.push(response);
      return async (status: number, id: string) => {
        await eventually(() => expect(waiting).to.have.length(1));
        return async () => {
          waiting[0]?.writeHead(status).end();
          await eventually(async () => expect((await rowOf(id)).leased_until).to.equal(null));
        };
      };
    };

    // A new address: the 410 was the old one's.
    const moved = await subscribe({ events: ['code.created'] });
    const held = hold();
    await createCode(api);
    const answerGone = await held(410, moved.id);
    await api(`/webhooks/${moved.id}`, { method: 'PATCH', body: { url: `${receiver.url}/moved` } });
    await answerGone();
    expect(await rowOf(moved.id)).to.include({ is_enabled: true, failures: 0, failing_since: null });
    receiver.answer = (_request, response) => void response.end();
    await eventually(() => expect(receiver.received.at(-1)?.path).to.equal('/moved'));
    await api(`/webhooks/${moved.id}`, { method: 'DELETE' });

    // Disabled by the owner: it stays so, for that reason.
    const disabled = await subscribe({ events: ['code.created'] });
    const heldAgain = hold();
    await createCode(api);
    const answerGoneAgain = await heldAgain(410, disabled.id);
    await api(`/webhooks/${disabled.id}`, { method: 'PATCH', body: { isEnabled: false } });
    await answerGoneAgain();
    expect(await rowOf(disabled.id)).to.include({ is_enabled: false, disabled_reason: 'owner', failures: 0 });

    // A retry that was asked for is made at once, not after the pause of the call that fails.
    const retried = await subscribe({ events: ['code.created'] });
    const heldOnce = hold();
    await createCode(api);
    const answerError = await heldOnce(500, retried.id);
    const { body: log } = await api(`/webhooks/${retried.id}/deliveries`);
    await api(`/webhook-deliveries/${log.data[0].id}/retry`, { method: 'POST' });
    const askedAt = Date.now();
    await answerError();
    const row = (await service.db('webhook_deliveries').where({ id: log.data[0].id }).first()) as {
      next_attempt_at: Date;
      attempts: number;
    };
    expect(row).to.include({ status: 'pending', attempts: 1 });
    expect(row.next_attempt_at.getTime()).to.be.at.most(askedAt);
    expect(await rowOf(retried.id)).to.include({ failures: 0 });
  });

  it('are sent once when the job is delivered twice', async () => {
    await subscribe({ events: ['code.created'] });
    const queue = openQueueClient({
      place: { databaseUrl: service.databaseUrl, redisUrl: undefined },
      log: testLog(),
    });
    await waitUntilReady(queue);
    await createCode(api);
    const job = { ...periodicQueue, jobName: 'webhooks' };
    await Promise.all([queue.add(job, {}), queue.add(job, {})]);
    await eventually(() => expect(receiver.received).to.have.length(1));
    await createCode(api);
    await eventually(() => expect(receiver.received).to.have.length(2));
    await queue.close();
    expect(new Set(receiver.received.map(({ id }) => id)).size).to.equal(2);
  });

  it('leave out the scans of a code that was deleted before they were sent', async () => {
    const { id } = await subscribe({ events: ['scan.recorded'] });
    const [kept, deleted] = [await createCode(api), await createCode(api)];
    await service
      .db('webhook_endpoints')
      .where({ id })
      .update({ retry_at: new Date(Date.now() + 60_000) });
    await record(deleted.id, 2);
    const ids = await record(kept.id, 2);
    await api(`/qrcodes/${deleted.id}`, { method: 'DELETE' });
    await service.db('webhook_endpoints').where({ id }).update({ retry_at: new Date() });
    await eventually(() => expect(scanIds()).to.have.members(ids));
  });
});
