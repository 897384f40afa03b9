import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Finding } from '../../src/doctor/finding.ts';
import { allQueues } from '../../src/queue/queues.ts';
import { findingsIn } from '../doctor/setup.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { formClient } from '../support/form-client.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { runQrelayWithNpm } from '../support/programs.ts';
import { createTestDatabase } from '../support/test-database.ts';
import {
  cleanUp,
  expectAllGone,
  expectReleased,
  expectServes,
  type Instance,
  newFolder,
  npmStart,
  readyLine,
  start,
} from './instance.ts';

describe('npm start', function () {
  this.timeout(90_000);
  after(cleanUp);

  describe('on an empty DATA_DIR, and again', () => {
    let instance: Instance;
    let key: string;
    before(async () => {
      instance = await start({ dataDir: join(await newFolder(), 'data'), command: npmStart });
      await instance.ready();
    });

    it('prints one ready line, the next step, and nothing else', () => {
      const [, ...lines] = instance
        .stdout()
        .trim()
        .split(/\n+(?!>)/);
      expect(lines[0]).to.equal(`Qrelay is ready at http://localhost:${instance.port}`);
      expect(instance.stdout().match(readyLine)).to.have.length(1);
      expect(lines[1]).to.match(/^Next: /);
      expect(lines.at(-1)).to.match(/Press Ctrl-C to stop\.$/);
      expect(instance.stdout()).to.not.include('{"level"');
      // npm may print warnings about its own configuration.
      expect(instance.stderr().replaceAll(/^npm (warn|notice).*\n/gm, '')).to.equal('');
    });

    it('responds, from one web and one worker process on its own Postgres', async () => {
      await expectServes(instance);
      expect(instance.pids('web')).to.have.length(1);
      expect(instance.pids('worker')).to.have.length(1);
      // The process of a new PostgreSQL session briefly has the name of the server.
      await eventually(() => expect(instance.pids('postgres')).to.have.length(1));
    });

    it('lets the command line find its database through DATA_DIR', async () => {
      const { stdout, stderr } = await runQrelayWithNpm(['key', 'create', '--email', 'first@example.com'], {
        DATA_DIR: instance.dataDir,
      });
      expect(stdout, stderr).to.match(/^qrl_/);
      key = stdout.trim();
      expect((await apiClient(instance.url, key)('/qrcodes')).status).to.equal(200);
    });

    it('lets the doctor check the running service, and has a safe setup', async () => {
      const { code, stdout } = await runQrelayHere(['doctor', '--json'], { DATA_DIR: instance.dataDir });
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      expect(findingsIn(findings, 'failure')).to.deep.equal([]);
      expect(code).to.equal(0);
      expect(findingsIn(findings, 'ok')).to.include.members([
        'postgres: Committed data survives a crash (fsync and synchronous_commit are on).',
        'postgres: All migrations are applied.',
        ...allQueues.map(({ name }) => `queue: ${name}: 1 worker connected.`),
      ]);
    });

    it('stops everything on Ctrl-C, which npm and its child both receive', async () => {
      process.kill(-(instance.child.pid ?? 0), 'SIGINT');
      await instance.exit();
      await expectAllGone(instance.dataDir);
      expectReleased(instance.dataDir);
      expect(instance.stdout(), 'no word about ending').to.match(/Press Ctrl-C to stop\.\s*$/);
    });

    it('keeps the data for the second start, which installs and builds nothing', async () => {
      instance = await start({ dataDir: instance.dataDir, command: npmStart });
      await instance.ready();
      expect(instance.stderr()).to.not.include('Installing');
      expect((await apiClient(instance.url, key)('/qrcodes')).status).to.equal(200);
    });

    it('prints mails to its terminal, because there is no SMTP_URL', async () => {
      const client = formClient(instance.url);
      await client.get('/signin/forgot');
      expect((await client.post('/signin/forgot', { email: 'first@example.com' })).status).to.equal(303);
      const mail = await eventually(() => {
        const found = /--- Email to first@example\.com ---\n([^]*)--- End of email ---/.exec(
          instance.stdout(),
        );
        if (!found) throw new Error('no mail was printed');
        return found[1] ?? '';
      });
      expect(mail).to.contain('Subject: Choose a new password');
      const link = new RegExp(`^http://localhost:${instance.port}(/signin/link/[\\w-]{43})$`, 'm').exec(mail);
      expect((await client.get(link?.[1] ?? '')).status).to.equal(200);
    });

    it('stops everything when npm gets SIGTERM', async () => {
      instance.child.kill('SIGTERM');
      await instance.exit();
      await expectAllGone(instance.dataDir);
      expectReleased(instance.dataDir);
    });
  });
});

describe('What the Procfile starts [processes]', function () {
  this.timeout(90_000);
  after(cleanUp);

  it('runs from built files', async () => {
    const database = await createTestDatabase();
    const entries = new Map(
      (await readFile(new URL('../../Procfile', import.meta.url), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => line.split(': ') as [string, string]),
    );
    expect([...entries.keys()]).to.have.members(['release', 'web', 'worker']);
    const env = { DATABASE_URL: database.url };
    const dataDir = join(await newFolder(), 'data');
    const run = (name: string) => start({ dataDir, env, command: (entries.get(name) ?? '').split(' ') });

    expect(await (await run('release')).exit()).to.equal(0);
    const [web, worker] = [await run('web'), await run('worker')];
    await expectServes(web);
    await eventually(() => expect(worker.stdout()).to.include('"msg":"working"'));
    for (const { child } of [web, worker]) child.kill('SIGTERM');
    expect([await web.exit(), await worker.exit()]).to.deep.equal([0, 0]);
    await expectAllGone(dataDir);
    await database.drop();
  });
});
