import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, uniqueCategory } from './service.ts';

const { codes, webhooks } = connect();

test('creates, changes, tests, replays and deletes a webhook endpoint', async () => {
  const category = uniqueCategory();
  const created = await webhooks.create({
    url: 'https://hooks.invalid/qrelay',
    name: 'CRM',
    events: ['code.created'],
    categories: [category],
  });
  const { id } = created;
  assert.match(created.secret, /^whsec_/);
  assert.ok((await webhooks.list()).some((endpoint) => endpoint.id === id));
  assert.notEqual((await webhooks.rotateSecret(id)).secret, created.secret);
  const { etag } = await webhooks.readVersion(id);
  assert.equal((await webhooks.update(id, { name: 'Till' }, { ifMatch: etag })).name, 'Till');
  await assert.rejects(webhooks.update(id, { name: 'Desk' }, { ifMatch: etag }), { status: 412 });
  assert.equal((await webhooks.listPage({ limit: 1 })).data.length, 1);

  const from = new Date(Date.now() - 60_000);
  const ping = await webhooks.test(id);
  assert.equal(ping.type, 'ping');
  const { id: codeId } = await codes.create({ name: 'Menu', content: 'https://example.com/', category });
  const events: string[] = [];
  for await (const delivery of webhooks.deliveries(id, { limit: 1 })) events.push(delivery.type);
  assert.deepEqual(events, ['code.created', 'ping']);
  const detail = await webhooks.readDelivery(ping.id);
  assert.equal(detail.messageId, ping.messageId);
  assert.equal((await webhooks.retryDelivery(ping.id)).status, 'pending');

  // What waits is given up with it, and replayed.
  assert.equal((await webhooks.update(id, { isEnabled: false })).isEnabled, false);
  assert.equal((await webhooks.update(id, { isEnabled: true })).isEnabled, true);
  const replayed = await webhooks.replay(id, { from, to: new Date(Date.now() + 60_000) });
  assert.deepEqual(replayed, { deliveries: 2, scans: 0 });

  await codes.delete(codeId);
  await webhooks.delete(id);
  await assert.rejects(webhooks.read(id), { status: 404 });
});
