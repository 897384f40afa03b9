import { expect } from 'chai';
import { loadSecrets } from '../../src/accounts/secrets.ts';
import { SetupError } from '../../src/errors.ts';
import { packScans, type RawScan, UnknownKeyError, unpackScans } from '../../src/queue/scan-jobs.ts';
import { newScanId } from '../../src/scans/scan-id.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { applicationName } from '../../src/store/pool-sizes.ts';
import { removeStoredSecret } from '../../src/store/root-secrets.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const [first, second] = ['first-secret-of-32-characters-or-more', 'second-secret-of-32-characters-or-more'];
const user = { id: 'user', passwordHash: 'hash' };
const scans: RawScan[] = [
  { id: newScanId(Date.now()), codeId: 'code', userAgent: 'agent', address: '81.2.69.142' },
];

describe('The root secrets', () => {
  let database: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 1, applicationName: 'test' });
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  /** Whether what is made with the first list is accepted with the second one. */
  async function accepted(made: string[], read: string[]): Promise<Record<string, boolean>> {
    const [writer, reader] = [await loadSecrets(db, made), await loadSecrets(db, read)];
    const job = packScans(scans, writer.sealingKey);
    const opens = () => {
      try {
        expect(unpackScans(job, ...reader.openingKeys)).to.deep.equal(scans);
        return true;
      } catch (error) {
        expect(error).to.be.instanceOf(UnknownKeyError);
        return false;
      }
    };
    return {
      job: opens(),
      device: reader.isDeviceToken(writer.deviceToken('visitor', user), 'visitor', user),
      form: reader.isCsrfToken(writer.csrfToken('visitor'), 'visitor'),
    };
  }
  const all = { job: true, device: true, form: true };
  const none = { job: false, device: false, form: false };

  it('are that of the database unless QRELAY_SECRET is set, and that one stays accepted', async () => {
    expect(await accepted([], [])).to.deep.equal(all);
    expect(await accepted([], [first])).to.deep.equal(all);
    expect(await accepted(['database', first], [])).to.deep.equal(all);
    expect(await accepted([first], [])).to.deep.equal(none);
    expect(await accepted([first], ['database', first])).to.deep.equal(all);
  });

  it('are used in the order of the list: the first for new values, all for reading', async () => {
    expect(await accepted([first], [second, first])).to.deep.equal(all);
    expect(await accepted([second, first], [first, second])).to.deep.equal(all);
    expect(await accepted([second, first], [first])).to.deep.equal(none);
    expect(await accepted([first, second], [second])).to.deep.equal(none);
  });

  it('accept no value that was made for something else', async () => {
    const { deviceToken, isDeviceToken, csrfToken, isCsrfToken } = await loadSecrets(db, [first, second]);
    expect(isDeviceToken(deviceToken('visitor', user), 'another visitor', user)).to.equal(false);
    expect(isDeviceToken(deviceToken('visitor', user), 'visitor', { ...user, passwordHash: 'new' })).to.equal(
      false,
    );
    expect(isCsrfToken(csrfToken('visitor'), 'another visitor')).to.equal(false);
    for (const token of ['', 'x', csrfToken('visitor').slice(1), 'é'.repeat(43)])
      expect(isCsrfToken(token, 'visitor'), token).to.equal(false);
  });

  it('must be set once the one in the database was removed', async () => {
    expect(await removeStoredSecret(db)).to.equal(true);
    expect(await removeStoredSecret(db)).to.equal(false);
    expect(await accepted([first], [first])).to.deep.equal(all);
    for (const list of [[], ['database'], ['database', first]]) {
      const error: unknown = await loadSecrets(db, list).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(SetupError);
      expect((error as Error).message).to.match(
        /^The database has no root secret any more\. Set QRELAY_SECRET/,
      );
    }
  });

  it('are shown to the doctor as fingerprints in a name that PostgreSQL does not cut', () => {
    expect(applicationName('web', { host: 'machine-1', pid: 12 })).to.equal('qrelay web machine-1:12');
    const rootSecrets = [first, second].map((text) => text.padEnd(32, 'x')).concat('database');
    const name = applicationName('worker', { rootSecrets, host: 'qrelay-worker-7d9f-x2k4p', pid: 4_194_304 });
    expect(name).to.match(/^qrelay worker -x2k4p:4194304 secrets:([0-9a-f]{8},){2}database$/);
    expect(name.length).to.be.below(64);
  });
});
