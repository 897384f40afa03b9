import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, square } from './service.ts';

const { codes, styles } = connect();

test('creates, changes, applies and deletes a style', async () => {
  const name = `Style ${Date.now()}`;
  const { id } = await styles.create({ name, moduleShape: 'rounded' });
  assert.ok((await styles.list()).some((style) => style.id === id));
  assert.equal((await styles.read(id)).moduleShape, 'rounded');
  assert.equal((await styles.update(id, { name: `${name}, winter` })).name, `${name}, winter`);
  assert.equal(typeof (await styles.setLogo(id, square)).logo, 'string');
  await styles.deleteLogo(id);
  assert.equal((await styles.read(id)).logo, null);
  const code = await codes.create({ name: 'Menu', content: 'https://example.com/' });
  const application = await styles.apply(id, { codeIds: [code.id] });
  assert.equal(application.total, 1);
  assert.equal((await styles.readApplication(application.id)).styleId, id);
  await styles.delete(id);
  await assert.rejects(styles.read(id), { status: 404 });
  await codes.delete(code.id);
});
