import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { QrelayError } from '../src/index.ts';
import {
  breakBody,
  connect,
  loseResponse,
  refuse,
  serviceUrl,
  uniqueCategory,
  unreliable,
} from './service.ts';

const content = 'https://example.com/';

async function codesIn(category: string) {
  return (await connect().codes.listPage({ category })).data;
}

test('creates one code although the response was lost, then cut off, then refused', async () => {
  const category = uniqueCategory();
  const { fetch, sent } = unreliable(loseResponse, breakBody, refuse(502));
  const { codes } = connect({ fetch });
  const created = await codes.create({ name: 'Once', content, category });
  assert.deepEqual(
    (await codesIn(category)).map(({ id }) => id),
    [created.id],
  );
  const keys = new Set(sent.map(({ headers }) => headers.get('Idempotency-Key')));
  assert.deepEqual([sent.length, keys.size], [4, 1]);
  await codes.delete(created.id);
});

test('uses a new Idempotency-Key for each call, or the given one', async () => {
  const category = uniqueCategory();
  const { fetch, sent } = unreliable();
  const { codes } = connect({ fetch });
  const idempotencyKey = crypto.randomUUID();
  const create = (options = {}) => codes.create({ name: 'Twice', content, category }, options);
  await create();
  const [first, second] = [await create({ idempotencyKey }), await create({ idempotencyKey })];
  assert.equal(first.id, second.id);
  assert.equal((await codesIn(category)).length, 2);
  const keys = sent.map(({ headers }) => headers.get('Idempotency-Key'));
  assert.equal(new Set(keys).size, 2);
  for (const { id } of await codesIn(category)) await codes.delete(id);
});

test('waits for as long as Retry-After says', async () => {
  const { fetch, sent } = unreliable(refuse(429, { 'Retry-After': '1' }));
  const startedAt = performance.now();
  await connect({ fetch }).codes.listPage({ limit: 1 });
  assert.equal(sent.length, 2);
  assert.ok(performance.now() - startedAt >= 990);
});

test('throws at once if it would have to wait for too long', async () => {
  const { fetch, sent } = unreliable(refuse(429, { 'Retry-After': '3600' }));
  await assert.rejects(connect({ fetch }).codes.listPage(), { status: 429, retryAfterMs: 3_600_000 });
  assert.equal(sent.length, 1);
});

test('gives up after maxRetries, with the last error', async () => {
  const { fetch, sent } = unreliable(refuse(500), refuse(504), refuse(503));
  await assert.rejects(connect({ fetch, maxRetries: 2 }).codes.listPage(), { status: 503 });
  assert.equal(sent.length, 3);
});

test('follows no redirect, which would turn POST into GET or drop the key, but says where it leads', async (t) => {
  const server = createServer((request, response) => {
    response.writeHead(301, { Location: `${serviceUrl}${request.url}` }).end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await assert.rejects(connect({ baseUrl }).codes.create({ name: 'Moved', content }), {
    status: 301,
    message: `The server redirects to ${serviceUrl}/api/v1/qrcodes: change baseUrl.`,
  });
});

test('says which option is missing, as where an environment variable is not set', () => {
  assert.throws(() => connect({ apiKey: undefined }), { name: 'TypeError', message: 'apiKey is missing.' });
  assert.throws(() => connect({ baseUrl: '' }), { name: 'TypeError', message: 'baseUrl is missing.' });
});

test('does not retry what cannot succeed, and shows every invalid field', async () => {
  const { fetch, sent } = unreliable();
  const error = await connect({ fetch })
    .codes.create({ name: '', content: 'nonsense' })
    .catch((caught: unknown) => caught);
  assert.ok(error instanceof QrelayError);
  assert.deepEqual([error.status, error.code, sent.length], [400, 'validation_error', 1]);
  assert.deepEqual(error.details.map(({ field }) => field).toSorted(), ['content', 'name']);
  assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/);
});

test('deletes successfully if the response of the first attempt was lost', async () => {
  const { id } = await connect().codes.create({ name: 'Gone', content });
  const { fetch, sent } = unreliable(loseResponse);
  await connect({ fetch }).codes.delete(id);
  assert.equal(sent.length, 2);
  await assert.rejects(connect().codes.delete(id), { status: 404, code: 'not_found' });
});

test('ends a request while it waits for the next attempt', async () => {
  const { fetch, sent } = unreliable(refuse(503, { 'Retry-After': '50' }));
  const stop = new AbortController();
  const request = connect({ fetch }).codes.listPage({}, { signal: stop.signal });
  setImmediate(() => stop.abort(new Error('stopped')));
  await assert.rejects(request, { message: 'stopped' });
  assert.equal(sent.length, 1);
});
