import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyWebhook, WebhookVerificationError } from '../src/index.ts';

// The example of the Standard Webhooks libraries.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const sentMs = 1_614_265_330_000;
const verify = (changes: Partial<typeof headers> = {}, text: string | Uint8Array = body, nowMs = sentMs) =>
  verifyWebhook(text, { ...headers, ...changes }, secret, { nowMs });

test('returns the parsed body of a genuine request', async () => {
  assert.deepEqual(await verify(), { test: 2432232314 });
  assert.deepEqual(await verify({}, new TextEncoder().encode(body)), { test: 2432232314 });
  assert.deepEqual(await verifyWebhook(body, new Headers(headers), secret, { nowMs: sentMs }), {
    test: 2432232314,
  });
});

test('accepts one valid signature among others, and one valid secret among two', async () => {
  const several = `v1,AAAA v2,x v1a,y ${headers['webhook-signature']}`;
  assert.deepEqual(await verify({ 'webhook-signature': several }), { test: 2432232314 });
  const secrets = ['whsec_bm90IHRoZSBzZWNyZXQ=', secret];
  assert.deepEqual(await verifyWebhook(body, headers, secrets, { nowMs: sentMs }), { test: 2432232314 });
});

test('rejects what was changed, is signed with another secret, lacks a header, or is too old or too new', async () => {
  const rejected = [
    verify({}, '{"test": 2432232315}'),
    verify({ 'webhook-id': 'msg_other' }),
    verify({ 'webhook-timestamp': '1614265331' }),
    verify({ 'webhook-timestamp': '1e3' }),
    verify({ 'webhook-signature': 'v1,not base64!' }),
    verify({ 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') }),
    verify({ 'webhook-signature': '' }),
    verify({}, body, sentMs + 301_000),
    verify({}, body, sentMs - 301_000),
    verifyWebhook(body, headers, 'whsec_bm90IHRoZSBzZWNyZXQ=', { nowMs: sentMs }),
  ];
  await Promise.all(rejected.map((one) => assert.rejects(one, WebhookVerificationError)));
});

test('reports a secret that is none', async () => {
  for (const missing of [undefined, ''])
    await assert.rejects(verifyWebhook(body, headers, missing, { nowMs: sentMs }), TypeError);
  await assert.rejects(verifyWebhook(body, headers, 'not a secret!', { nowMs: sentMs }), TypeError);
});
