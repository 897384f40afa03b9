import { expect } from 'chai';
import { Client } from 'pg';
import { findEmbeddedPostgres } from '../../src/store/embedded/server.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { runQrelay } from '../support/programs.ts';
import { everyMs, type Instance, start, usedDataDir } from './instance.ts';

export interface ScannedInstance {
  instance: Instance;
  /** From the redirect to the counter: web, queue, worker and database. */
  expectScansCounted(): Promise<void>;
  /** Sends the signal to the process of this role: another one takes its place, and scans are counted. */
  expectReplaced(role: 'web' | 'worker' | 'postgres', signal?: NodeJS.Signals): Promise<void>;
}

/** A running service with one code, which the test scans. */
export async function startScannedInstance(): Promise<ScannedInstance> {
  const instance = await start({ dataDir: await usedDataDir(), env: { HANG_LIMIT_SECONDS: '5' } });
  await instance.ready();
  const { dataDir: DATA_DIR } = instance;
  const { stdout } = await runQrelay(['key', 'create', '--email', 'scans@example.com'], { DATA_DIR });
  const { body } = await apiClient(instance.url, stdout.trim())('/qrcodes', {
    method: 'POST',
    body: { name: 'Scanned', content: 'https://example.com/' },
  });
  const { shareUrl } = body as { shareUrl: string };
  let scans = 0;

  async function expectScansCounted(): Promise<void> {
    await eventually(async () => {
      const { status } = await fetch(shareUrl, { redirect: 'manual', signal: AbortSignal.timeout(2_000) });
      if (status === 302) scans += 1;
      expect(status).to.equal(302);
    }, 20_000);
    await eventually(
      async () => {
        const client = new Client({ connectionString: await findEmbeddedPostgres(instance.dataDir) });
        await client.connect();
        const { rows } = await client.query('SELECT count(*)::int AS scans FROM scans');
        await client.end();
        expect(rows).to.deep.equal([{ scans }]);
      },
      20_000,
      everyMs,
    );
  }

  return {
    instance,
    expectScansCounted,
    async expectReplaced(role, signal = 'SIGKILL') {
      const old = instance.pid(role);
      process.kill(old, signal);
      await eventually(
        () => expect(instance.pids(role)).to.have.length(1).and.not.include(old),
        30_000,
        everyMs,
      );
      await expectScansCounted();
      // A session that PostgreSQL has just begun goes by the name of the server for a moment.
      await eventually(() => expect(instance.pids(role)).to.have.length(1));
    },
  };
}
