import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { openDatabase } from '../../src/store/database.ts';
import { apiClient } from '../support/api-client.ts';
import { startWebProcess } from '../support/programs.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { ownWorkspaceId, setPlan } from '../../src/workspaces/workspace.ts';

describe('200 parallel POSTs with one Idempotency-Key over two web processes [processes]', function () {
  this.timeout(120_000);

  it('create one code, and all get the same response', async () => {
    const database = await createTestDatabase();
    const db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
    const folder = await mkdtemp(join(tmpdir(), 'qrelay-idempotency-'));
    const start = (name: string) =>
      startWebProcess({ DATABASE_URL: database.url, DATA_DIR: join(folder, name) });
    const processes = await Promise.all([start('one'), start('two')]);
    try {
      const user = await findOrCreateUser(db, 'retries@example.com', new Date());
      await setPlan(db, ownWorkspaceId(user), 'pro');
      // A key has 100 requests an hour.
      const clients = await Promise.all(
        processes.map(async ({ url }) =>
          apiClient(url, await createApiKey(db, ownWorkspaceId(user), 'test', new Date())),
        ),
      );
      const answers = await Promise.all(
        clients.flatMap((api) =>
          [...Array(100)].map(() =>
            api('/qrcodes', {
              method: 'POST',
              body: { name: 'Once', content: 'https://example.com/' },
              headers: { 'Idempotency-Key': '3f0b7c52-6f7e-4c7b-9f9a-2f9f2a1d1c11' },
            }),
          ),
        ),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(200).fill(201));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
      const first = answers.filter(({ headers }) => !headers.has('Idempotency-Replayed'));
      expect(first).to.have.length(1);
      expect(await db('qr_codes').pluck('id')).to.deep.equal([answers[0]?.body.id]);
    } finally {
      await Promise.all(processes.map(({ stop }) => stop()));
      await db.destroy();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
