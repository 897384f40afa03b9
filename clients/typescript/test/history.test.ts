import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, unreliable } from './service.ts';

const { audit, codes } = connect();
const at = (number: number) => `https://example.com/${number}`;

test('lists the versions of a code, and restores one', async () => {
  const { id } = await codes.create({ name: 'Menu', content: at(1) });
  await codes.update(id, { content: at(2) });
  await codes.update(id, { name: 'Winter' });
  const versions = [];
  for await (const { version } of codes.versions(id, { limit: 2 })) versions.push(version);
  assert.deepEqual(versions, [3, 2, 1]);
  const { data, nextCursor } = await codes.versionsPage(id, { limit: 1, cursor: 3 });
  assert.deepEqual([data[0]?.before, nextCursor], [{ content: at(1) }, 2]);
  const { etag } = await codes.readVersion(id);
  const restored = await codes.restoreVersion(id, 1, { overwrite: true }, { ifMatch: etag });
  assert.deepEqual([restored.name, restored.content], ['Menu', at(1)]);
  await assert.rejects(codes.restoreVersion(id, 2, { overwrite: true }, { ifMatch: etag }), { status: 412 });
  await codes.delete(id);
});

test('throws a conflict of a restore at once, with both values', async () => {
  const { id } = await codes.create({ name: 'Menu', content: at(1) });
  await codes.update(id, { content: at(2) });
  await codes.update(id, { content: at(3) });
  const { fetch, sent } = unreliable();
  await assert.rejects(connect({ fetch }).codes.restoreVersion(id, 1), {
    status: 409,
    reason: 'restore_conflict',
    details: [{ field: 'content', message: `is "${at(3)}" since version 3, and would become "${at(1)}"` }],
  });
  assert.equal(sent.length, 1);
  const restored = await codes.restoreVersion(id, 1, { fields: ['content'], overwrite: true });
  assert.equal(restored.content, at(1));
  await codes.delete(id);
});

test('lists the changes in the workspace, and exports them', async () => {
  const { id } = await codes.create({ name: 'Audited', content: at(1) });
  const first = (await audit.listPage({ kind: 'code', limit: 1 })).data[0];
  assert.deepEqual([first?.action, first?.subject], ['created', { id, name: 'Audited' }]);
  assert.ok(first);
  const found = [];
  for await (const change of audit.list({ from: first.at, limit: 1 })) found.push(change.subject.id);
  assert.ok(found.includes(id));
  const [header, line] = (await audit.csv({ kind: 'code' })).split('\r\n');
  assert.match(header ?? '', /^at,actorKind,/);
  assert.match(line ?? '', new RegExp(`,created,code,${id},Audited,1,`));
  await codes.delete(id);
});
