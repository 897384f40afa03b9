import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { findCode } from '../../src/codes/codes.ts';
import { versionsOf } from '../../src/history/changes.ts';
import { readState } from '../../src/history/code-state.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ownWorkspaceId, setPlan } from '../../src/workspaces/workspace.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { startWebProcess } from '../support/programs.ts';
import { createTestDatabase } from '../support/test-database.ts';

const rounds = 3;
const parallel = 50;

describe(`${parallel} parallel edits and undos of one code, while one of two web processes is killed`, function () {
  this.timeout(180_000);

  it('leave a history that leads to the state of the code, with an entry for each answer', async () => {
    const database = await createTestDatabase();
    const db = openDatabase(database.url, { poolMax: 2, applicationName: 'test' });
    const folder = await mkdtemp(join(tmpdir(), 'qrelay-history-'));
    const workspaceId = ownWorkspaceId(await findOrCreateUser(db, 'edits@example.com', new Date()));
    await setPlan(db, workspaceId, 'pro');
    const launch = (name: string) =>
      startWebProcess({ DATABASE_URL: database.url, DATA_DIR: join(folder, name) });
    // A key has 100 requests an hour.
    const clientOf = async ({ url }: { url: string }): Promise<ApiClient> =>
      apiClient(url, await createApiKey(db, workspaceId, 'test', new Date()));
    const survivor = await launch('survivor');
    const acknowledged: string[] = [];
    try {
      const api = await clientOf(survivor);
      const { id } = (
        await api('/qrcodes', { method: 'POST', body: { name: '0', content: 'https://example.com/0' } })
      ).body;

      for (let round = 0; round < rounds; round += 1) {
        const victim = await launch(`victim-${round}`);
        const clients = await Promise.all([victim, survivor].map(clientOf));
        let answered = 0;
        let killed: Promise<void> | undefined;
        await Promise.all(
          Array.from({ length: parallel }, async (_, index) => {
            const client = clients[index % 2] as ApiClient;
            const value = `${round}-${index}`;
            const answer = await (index % 3 === 0
              ? client(`/qrcodes/${id}/versions/1/restore`, { method: 'POST', body: { overwrite: true } })
              : client(`/qrcodes/${id}`, {
                  method: 'PATCH',
                  body: { name: value, ...(index % 2 && { content: `https://example.com/${value}` }) },
                })
            ).catch(() => undefined);
            answered += 1;
            if (answered === 12) killed = victim.kill();
            if (answer?.status !== 200) return;
            const isUnchanged = answer.headers.has('Qrelay-Warning');
            if (!isUnchanged) acknowledged.push(answer.headers.get('X-Request-Id') ?? '');
          }),
        );
        await killed;
      }

      const code = await findCode(db, workspaceId, id as string);
      const versions = (await versionsOf(db, code, { limit: 1_000 })).toReversed();
      expect(versions.map(({ version }) => version)).to.deep.equal(versions.map((_, index) => index + 1));
      const state: Record<string, unknown> = {};
      for (const { version, before, after } of versions) {
        for (const [field, value] of Object.entries(before ?? {}))
          expect(state[field] ?? null, `${field} before version ${version}`).to.deep.equal(value);
        expect(after, `version ${version}`).not.to.deep.equal(before);
        Object.assign(state, after);
      }
      const current = await readState(db, code);
      for (const [field, value] of Object.entries(current))
        expect(state[field] ?? null, field).to.deep.equal(value);
      const requests = versions.map(({ requestId }) => requestId);
      expect(new Set(requests).size).to.equal(requests.length);
      expect(requests).to.include.members(acknowledged);
      expect(acknowledged.length).to.be.above(parallel);
    } finally {
      await survivor.stop();
      await db.destroy();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
