import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, serviceUrl, uniqueCategory, unreliable } from './service.ts';

const { codes, request } = connect();
const content = 'https://example.com/';

test('creates, reads, changes and deletes a code', async () => {
  const { id } = await codes.create({ name: 'Menu', content });
  assert.equal((await codes.update(id, { name: 'Menu 2', isFavorite: true })).name, 'Menu 2');
  const code = await codes.read(id);
  assert.deepEqual([code.name, code.isFavorite, code.scanCount], ['Menu 2', true, 0]);
  await codes.delete(id);
  await assert.rejects(codes.read(id), { status: 404 });
});

test('restores a deleted code from the trash, and deletes it for good', async () => {
  const category = uniqueCategory();
  const { id } = await codes.create({ name: 'Menu', content, category });
  await codes.delete(id);
  const trash = codes.list({ state: 'trashed', category });
  const deleted: (string | undefined)[] = [];
  for await (const code of trash) deleted.push(code.id, code.deletedAt?.slice(0, 2));
  assert.deepEqual(deleted, [id, '20']);
  assert.equal((await codes.restore(id)).name, 'Menu');
  await codes.delete(id, { permanently: true });
  await assert.rejects(codes.restore(id), { status: 404 });
});

test('creates many codes, and reads all pages of the list', async () => {
  const category = uniqueCategory();
  const rows = [1, 2, 3, 4, 5].map((n) => ({ name: `Table ${n}`, content, category }));
  const result = await codes.createMany({ mode: 'each', qrCodes: [...rows, { name: '', content }] });
  assert.deepEqual([result.created, result.failed], [5, 1]);
  assert.equal(result.data[5]?.errors?.[0]?.field, 'qrCodes[5].name');
  const { fetch, sent } = unreliable();
  const names: string[] = [];
  for await (const code of connect({ fetch }).codes.list({ category, limit: 2 })) names.push(code.name);
  assert.deepEqual(names, ['Table 5', 'Table 4', 'Table 3', 'Table 2', 'Table 1']);
  assert.equal(sent.length, 3);
  const qrCodeIds = result.data.flatMap(({ qrCode }) => (qrCode ? [qrCode.id] : []));
  const changed = await codes.updateMany({ qrCodes: qrCodeIds.map((id) => ({ id, isFavorite: true })) });
  assert.deepEqual([changed.updated, changed.data[4]?.qrCode.isFavorite], [5, true]);
  const [first = ''] = qrCodeIds;
  await assert.rejects(codes.deleteMany({ qrCodeIds: [first, crypto.randomUUID()] }), {
    status: 400,
    reason: 'qr_code_not_found',
  });
  await codes.deleteMany({ qrCodeIds });
  await assert.rejects(codes.read(first), { status: 404 });
});

test('reads no more pages than are asked for', async () => {
  const category = uniqueCategory();
  const rows = [1, 2, 3].map((n) => ({ name: `Table ${n}`, content, category }));
  const { data } = await codes.createMany({ qrCodes: rows });
  const { fetch, sent } = unreliable();
  for await (const code of connect({ fetch }).codes.list({ category, limit: 2 })) {
    assert.equal(code.name, 'Table 3');
    break;
  }
  assert.equal(sent.length, 1);
  await codes.deleteMany({ qrCodeIds: data.flatMap(({ qrCode }) => (qrCode ? [qrCode.id] : [])) });
});

test('does not overwrite a change by somebody else', async () => {
  const { id } = await codes.create({ name: 'Shared', content });
  const { etag } = await codes.readVersion(id);
  await codes.update(id, { name: 'Theirs' });
  await assert.rejects(codes.update(id, { name: 'Mine' }, { ifMatch: etag }), { status: 412 });
  await assert.rejects(codes.delete(id, { ifMatch: etag }), { status: 412 });
  assert.equal((await codes.read(id)).name, 'Theirs');
  await codes.delete(id, { ifMatch: (await codes.readVersion(id)).etag });
});

test('edits the latest version, and decides again if it was changed in between', async () => {
  const { id } = await codes.create({ name: 'A', content });
  const seen: string[] = [];
  const edited = await codes.edit(id, async ({ name }) => {
    seen.push(name);
    if (seen.length === 1) await codes.update(id, { name: 'B' });
    return { name: `${name}+` };
  });
  assert.deepEqual([seen, edited.name], [['A', 'B'], 'B+']);
  await codes.delete(id);
});

test('reads scans and analytics', async () => {
  const { id, shareToken } = await codes.create({ name: 'Scanned', content });
  for (const _ of [1, 2, 3]) await fetch(`${serviceUrl}/r/${shareToken}`, { redirect: 'manual' });
  for (let tries = 0; tries < 15 && (await codes.read(id)).scanCount < 3; tries += 1) await sleep(1_000);
  const found = [];
  for await (const scan of codes.scans(id, { limit: 2 })) found.push(scan.qrCodeId);
  assert.deepEqual(found, [id, id, id]);
  assert.equal((await codes.analytics(id, { days: 7 })).totalScans, 3);
  await codes.delete(id);
});

test('sends any other request of the API', async () => {
  const page = await request<{ data: unknown[] }>({ method: 'GET', path: '/qrcodes?limit=1' });
  assert.ok(Array.isArray(page.data));
});
