import { expect } from 'chai';
import { migrateQueue } from '../../src/queue/postgres-engine.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrateDatabase } from '../../src/store/migrate.ts';
import { setupErrorMessage } from '../../src/store/setup-error-message.ts';
import { freePort } from '../support/free-port.ts';
import { outcomeOf, runQrelay, startProgram, startWebProcess } from '../support/programs.ts';
import { servers } from '../support/servers.ts';
import { startTlsPostgres, type TlsPostgres } from '../support/tls-postgres.ts';

const notTrusted =
  'The database is not trusted: its certificate is of an authority that this machine does not know. Add sslmode=verify-full&sslrootcert=/path/to/ca.pem to DATABASE_URL, with the certificate of the authority that signed it.\n';

/** npm and Node say nothing, and every line of a log is JSON. */
function expectJsonLines(text: string): void {
  for (const line of text.split('\n').filter(Boolean)) expect(() => JSON.parse(line), line).to.not.throw();
}

describe('PostgreSQL behind TLS, with a certificate of an authority of its own', function () {
  this.timeout(120_000);
  let postgres: TlsPostgres;
  const at = (query: string) => `${postgres.url}?${query}`;
  const trusted = () => `sslmode=verify-full&sslrootcert=${postgres.caFile}`;

  before(async function () {
    const started = await startTlsPostgres();
    if (!started) return this.skip();
    postgres = started;
    await migrateDatabase(at(trusted()), () => undefined);
    await migrateQueue({ databaseUrl: at(trusted()), redisUrl: undefined });
  });
  after(() => postgres?.stop());

  for (const [name, file] of [
    ['web', 'src/server.js'],
    ['worker', 'workers/main.js'],
  ] as const) {
    it(`is refused by the ${name} process with a sentence and a remedy`, async () => {
      const child = startProgram(file, {
        DATABASE_URL: at('sslmode=require'),
        PORT: String(await freePort()),
      });
      const { code, stdout, stderr } = await outcomeOf(child);
      expect(code).to.equal(1);
      expect(stderr).to.equal(notTrusted);
      expectJsonLines(stdout);
    });
  }

  it('is refused by the command line with a sentence and a remedy', async () => {
    const { code, stdout, stderr } = await runQrelay(['migrate'], { DATABASE_URL: at('sslmode=require') });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr.split('\n').filter((line) => !line.startsWith('Warning: '))).to.deep.equal(
      notTrusted.split('\n'),
    );
  });

  it('is told of by the doctor', async () => {
    const { stdout } = await runQrelay(['doctor'], { DATABASE_URL: at('sslmode=require') });
    expect(stdout).to.include(
      'is not trusted: its certificate is of an authority that this machine does not know.',
    );
    expect(stdout).to.include('→ Add sslmode=verify-full&sslrootcert=/path/to/ca.pem');
  });

  it('is used where its authority is named, and what Node warns of is in the log', async () => {
    const web = await startWebProcess({
      // pg warns of this one.
      DATABASE_URL: at(`sslmode=require&sslrootcert=${postgres.caFile}`),
      LOG_LEVEL: 'info',
    });
    expect((await fetch(`${web.url}/readyz`)).status).to.equal(200);
    await web.stop();
    expectJsonLines(web.output());
    expect(web.output()).to.match(/"warning":"Warning","msg":"SECURITY WARNING: The SSL modes/);
  });

  it('is refused where it goes by another name, and where the server does not speak TLS', async () => {
    const sentence = async (url: string) => {
      const db = openDatabase(url, { poolMax: 1, applicationName: 'test' });
      try {
        return await db.raw('SELECT 1').then(String, setupErrorMessage);
      } finally {
        await db.destroy();
      }
    };
    expect(await sentence(at(`${trusted()}&host=127.0.0.1`))).to.equal(
      'The database is not trusted: its certificate is for another host name. Set DATABASE_URL to a name that the certificate has, or have one made for this name.',
    );
    expect(await sentence(`${servers().postgres.url}?sslmode=verify-full`)).to.match(
      /^The database is not trusted: it does not speak TLS, which sslmode asks for\. /,
    );
  });

  it('is not asked where the file of its authority cannot be read', async () => {
    const { code, stderr } = await runQrelay(['migrate'], {
      DATABASE_URL: at('sslmode=verify-full&sslrootcert=/nowhere/ca.pem'),
    });
    expect(code).to.equal(1);
    expect(stderr).to.include(
      'DATABASE_URL has sslrootcert=/nowhere/ca.pem, which cannot be read (ENOENT): set the path of a file that this user may read',
    );
  });
});
