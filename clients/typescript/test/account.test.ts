import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from './service.ts';

const { account, codes } = connect();

test('reads the limits of the workspace and how much of them is used', async () => {
  const before = await account();
  const { id } = await codes.create({ name: 'Table 1', content: 'https://example.com/' });
  const { plan, limits, use } = await account();
  assert.ok(['free', 'pro'].includes(plan));
  assert.ok(limits.requestsPerHour >= use.requests);
  assert.equal(use.codes, before.use.codes + 1);
  assert.equal(use.requests, before.use.requests + 2);
  await codes.delete(id);
});
