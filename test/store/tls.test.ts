import { expect } from 'chai';
import { migrateQueue } from '../../src/queue/postgres-engine.ts';
import { openDatabase, setupErrorMessage } from '../../src/store/database.ts';
import { migrateDatabase } from '../../src/store/migrate.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { jsonLines } from '../support/json-lines.ts';
import { outcomeOf, runQrelay, startProgram, startWebProcess } from '../support/programs.ts';
import { servers } from '../support/servers.ts';
import { startTlsPostgres, type TlsPostgres } from '../support/tls-postgres.ts';

const notTrusted =
  'The database is not trusted: its certificate was issued by an authority that this machine does not know. Add sslmode=verify-full&sslrootcert=/path/to/ca.pem to DATABASE_URL, with the certificate of the authority that signed it.';

describe('PostgreSQL with TLS and a certificate of a private authority', function () {
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

  async function expectRefused(name: string, file: string): Promise<void> {
    const child = startProgram(file, {
      DATABASE_URL: at('sslmode=require'),
      PORT: String(await freePort()),
    });
    const { code, stdout, stderr } = await outcomeOf(child);
    expect(code).to.equal(1);
    expect(stderr).to.equal('');
    expect(jsonLines(stdout).at(-1)).to.include({ level: 60, name, msg: notTrusted });
  }

  it('is refused by the web process with a message and a remedy', () =>
    expectRefused('web', 'src/server.js'));

  describe('from processes of the service [processes]', () => {
    it('is refused by the command line with a message and a remedy', async () => {
      const { code, stdout, stderr } = await runQrelay(['migrate'], {
        DATABASE_URL: at('sslmode=require'),
      });
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr.split('\n').filter((line) => !line.startsWith('Warning: '))).to.deep.equal([
        notTrusted,
        '',
      ]);
    });

    it('is refused by the worker with a message and a remedy', () =>
      expectRefused('worker', 'workers/main.js'));

    it('is accepted when its authority is configured, and warnings go to the log', async () => {
      const web = await startWebProcess({
        // pg prints a warning for this mode.
        DATABASE_URL: at(`sslmode=require&sslrootcert=${postgres.caFile}`),
        LOG_LEVEL: 'info',
      });
      expect((await fetch(`${web.url}/readyz`)).status).to.equal(200);
      await web.stop();
      jsonLines(web.output());
      expect(web.output()).to.match(/"warning":"Warning","msg":"SECURITY WARNING: The SSL modes/);
    });
  });

  it('is reported by the doctor', async () => {
    const { stdout } = await runQrelayHere(['doctor'], { DATABASE_URL: at('sslmode=require') });
    expect(stdout).to.include(
      'is not trusted: its certificate was issued by an authority that this machine does not know.',
    );
    expect(stdout).to.include('→ Add sslmode=verify-full&sslrootcert=/path/to/ca.pem');
  });

  it('is reported by the doctor with the remedy for each mistake', async () => {
    const doctor = async (query: string) =>
      (await runQrelayHere(['doctor'], { DATABASE_URL: at(query) })).stdout;
    expect(await doctor(trusted())).to.match(
      /✓ ok +The connection to localhost:\d+\/qrelay is encrypted \(TLSv1\.3\), with a certificate that is valid until 20/,
    );
    expect(await doctor('sslmode=no-verify'))
      .to.include('is encrypted, but its certificate is not checked: another server could take its place.')
      .and.include('→ Set sslmode=verify-full in DATABASE_URL');
    expect(await doctor(`${trusted()}&host=127.0.0.1`))
      .to.include('is not trusted: its certificate is for another host name.')
      .and.include('→ Set DATABASE_URL to a host name in the certificate');
  });

  it('is refused under another host name, and if the server does not support TLS', async () => {
    const message = async (url: string) => {
      const db = openDatabase(url, { poolMax: 1, applicationName: 'test' });
      try {
        return await db.raw('SELECT 1').then(String, setupErrorMessage);
      } finally {
        await db.destroy();
      }
    };
    expect(await message(at(`${trusted()}&host=127.0.0.1`))).to.equal(
      'The database is not trusted: its certificate is for another host name. Set DATABASE_URL to a host name in the certificate, or get a certificate for this name.',
    );
    expect(await message(`${servers().postgres.url}?sslmode=verify-full`)).to.match(
      /^The database is not trusted: it does not support TLS, which sslmode requires\. /,
    );
  });

  it('is not contacted if the certificate file of its authority cannot be read', async () => {
    const { code, stderr } = await runQrelayHere(['migrate'], {
      DATABASE_URL: at('sslmode=verify-full&sslrootcert=/nowhere/ca.pem'),
    });
    expect(code).to.equal(1);
    expect(stderr).to.include(
      'DATABASE_URL has sslrootcert=/nowhere/ca.pem, which cannot be read (ENOENT): use the path of a file that this user can read',
    );
  });

  // Last, and in a suite of its own because those run after all other tests: the server has no valid certificate afterwards.
  describe('when its certificate has expired', () => {
    it('is reported by the doctor', async () => {
      await postgres.expire();
      await eventually(async () => {
        const { stdout } = await runQrelayHere(['doctor'], { DATABASE_URL: at(trusted()) });
        expect(stdout)
          .to.include('is not trusted: its certificate has expired.')
          .and.include('→ Renew it on the server.');
      });
    });
  });
});
