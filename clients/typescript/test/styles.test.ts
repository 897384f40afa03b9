import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, square } from './service.ts';

const { codes, styles } = connect();

test('creates, changes, applies and deletes a style', async () => {
  const name = `Style ${Date.now()}`;
  const { id } = await styles.create({ name, moduleShape: 'rounded' });
  assert.ok((await styles.list()).some((style) => style.id === id));
  assert.equal((await styles.read(id)).moduleShape, 'rounded');
  const { etag } = await styles.readVersion(id);
  assert.equal((await styles.update(id, { name: `${name}, winter` })).name, `${name}, winter`);
  await assert.rejects(styles.update(id, { name }, { ifMatch: etag }), { status: 412 });
  await assert.rejects(styles.delete(id, { ifMatch: etag }), { reason: 'version_conflict' });
  assert.equal((await styles.listPage({ limit: 1 })).data.length, 1);
  assert.equal(typeof (await styles.setLogo(id, square)).logo, 'string');
  assert.equal(typeof (await styles.readLogo(id)).logo, 'string');
  await styles.deleteLogo(id);
  assert.equal((await styles.read(id)).logo, null);
  const code = await codes.create({ name: 'Menu', content: 'https://example.com/' });
  const application = await styles.apply(id, { qrCodeIds: [code.id] });
  assert.equal(application.total, 1);
  assert.equal((await styles.readApplication(application.id)).styleId, id);
  await styles.delete(id);
  await assert.rejects(styles.read(id), { status: 404 });
  await codes.delete(code.id);
});
