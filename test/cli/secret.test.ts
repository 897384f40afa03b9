import { expect } from 'chai';
import { loadSecrets } from '../../src/accounts/secrets.ts';
import { loadConfig } from '../../src/config.ts';
import { packScans } from '../../src/queue/scan-jobs.ts';
import { newScanId } from '../../src/scans/scan-id.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { readStoredSecret } from '../../src/store/root-secrets.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

describe('qrelay secret', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const remove = (secret: string) =>
    runQrelayHere(['secret', 'remove'], { DATABASE_URL: database.url, QRELAY_SECRET: secret });

  it('generate prints a new secret each time, which QRELAY_SECRET accepts, without a database', async () => {
    const printed = [];
    for (let time = 0; time < 2; time += 1) {
      const { code, stdout, stderr } = await runQrelayHere(['secret', 'generate'], {});
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      expect(stdout).to.match(/^[\w-]{43}\n$/);
      printed.push(stdout.trim());
    }
    expect(loadConfig({ QRELAY_SECRET: printed.join(',') }).rootSecrets).to.deep.equal(printed);
  });

  it('remove keeps the secret in the database unless QRELAY_SECRET replaces it', async () => {
    for (const secret of ['', 'database', `${'x'.repeat(32)},database`]) {
      const { code, stderr } = await remove(secret);
      expect(code).to.equal(1);
      expect(stderr).to.include('QRELAY_SECRET is not set here, or contains the word database.');
    }
    expect(await readStoredSecret(db)).to.have.length(32);
  });

  it('remove keeps it while dead scans are encrypted with it', async () => {
    const secret = 'x'.repeat(32);
    const scan = { id: newScanId(Date.now()), codeId: 'code', userAgent: '', address: '81.2.69.142' };
    const [old, current] = [await loadSecrets(db), await loadSecrets(db, [secret])];
    for (const [index, { sealingKey }] of [old, current].entries())
      await db('dead_scans').insert({
        scan_id: `${index}`,
        job: JSON.stringify(packScans([scan], sealingKey)),
        reason: 'test',
      });
    const refused = await remove(secret);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/^1 dead scan cannot be decrypted without the secret of the database\./);
    await db('dead_scans').where({ scan_id: '0' }).delete();
    const done = await remove(secret);
    expect({ code: done.code, stderr: done.stderr }).to.deep.equal({
      code: 0,
      stderr: 'The secret was removed from the database. Backups from before still contain it.\n',
    });
    expect(await readStoredSecret(db)).to.equal(undefined);
    expect((await remove(secret)).stderr).to.equal('The database has no secret.\n');
  });
});
