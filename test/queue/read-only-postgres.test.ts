import { expect } from 'chai';
import { Client } from 'pg';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testLog } from '../support/test-log.ts';

describe('A queue on a Postgres that is read-only, as after a failover', () => {
  it('is not up, although it responds, and is up again when writes are taken', async () => {
    const database = await createTestDatabase();
    const place = { databaseUrl: database.url, redisUrl: undefined };
    const queue = openQueueClient({ place, log: testLog() });
    const admin = new Client({ connectionString: database.url });
    await admin.connect();
    const setReadOnly = async (state: 'on' | 'off') => {
      const { rows } = await admin.query<{ name: string }>('SELECT current_database() AS name');
      const name = admin.escapeIdentifier(rows[0]?.name ?? '');
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${state}`);
      // The setting is for new connections.
      await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    };
    try {
      await eventually(() => queue.checkWrites());
      await setReadOnly('on');
      await eventually(async () => {
        const refusal = await queue.checkWrites().catch((error: Error) => error.message);
        expect(refusal).to.include('read-only');
        expect(queue.isReady()).to.equal(false);
        expect(await queue.pending(scanQueue)).to.equal(0);
      });
      await admin.query('SET default_transaction_read_only = off');
      await setReadOnly('off');
      await eventually(() => expect(queue.isReady()).to.equal(true));
    } finally {
      await admin.end();
      await queue.close();
      await database.drop();
    }
  });
});
