import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listActions } from '../../src/accounts/operator-actions.ts';
import { linkIdentity } from '../../src/accounts/identities.ts';
import { findSessionUser, startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { apiClient } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import { loadCommandLine, runQrelayHere } from '../support/command-line.ts';
import { runQrelay, runQrelayWithNpm } from '../support/programs.ts';
import { tablesHolding } from '../support/search-tables.ts';
import { startService, type TestService } from '../support/service.ts';
import { signInStatus } from '../support/sign-in.ts';
import { createBareDatabase } from '../support/test-database.ts';

const oneKey = /^qrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}\n$/;
const stack = /^\s+at .*:\d+:\d+/m;
const commands = [
  '',
  'key',
  'key create',
  'key list',
  'key revoke',
  'user',
  'user plan',
  'user limits',
  'user admin',
  'user password',
  'user factors',
  'user identity',
  'counters verify',
  'counters rebuild',
  'scans dead',
  'scans retry',
  'queue failed',
  'queue retry',
  'block',
  'block code',
  'block host',
  'block account',
  'unblock',
  'unblock code',
  'unblock host',
  'unblock account',
  'blocks',
  'migrate',
  'secret',
  'secret generate',
  'secret remove',
  'mail',
  'mail test',
  'backup',
  'backup check',
  'demo',
  'doctor',
];
const misuses = `

  key
  key nonsense
  key create
  key create --email
  key create --email a@example.com --plan gold
  key create --email a@example.com extra
  key list
  key revoke
  key revoke AAAAAAAA BBBBBBBB
  user
  user plan --email a@example.com
  user plan --plan pro
  user limits
  user limits --email a@example.com --set codes
  user limits --email a@example.com --set codes=-1
  user limits --email a@example.com --reset nonsense
  user admin
  user admin --off
  user password
  block
  block code
  block host
  block host example.com extra
  block account
  block account nobody
  unblock account
  unblock host
  blocks extra
  migrate extra
  demo --scans 0
  demo --scans 1e3
  demo --seed x
  secret
  secret generate extra
  backup
  backup check extra
  doctor extra
  doctor --remote nonsense
  nonsense
  --nonsense`.split('\n');
const words = (command: string) => command.split(' ').filter(Boolean);

describe('qrelay, the command line (decisions: Limits)', function () {
  this.timeout(120_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const qrelay = (...args: string[]) => runQrelayHere(args, { DATABASE_URL: service.databaseUrl });
  const prefixOf = (key: string) => key.split('_')[1] ?? '';
  const users = (email: string): Promise<{ email: string; plan: string; password_hash: string | null }[]> =>
    service.db('users').whereRaw('lower(email) = lower(?)', [email]).select('email', 'plan', 'password_hash');

  async function newKey(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await qrelay('key', 'create', ...args);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(oneKey);
    return stdout.trim();
  }

  /** In this process, because a process for each of these would take minutes and show nothing more. */
  async function askHere(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const outcome = { stdout: '', stderr: '' };
    const runCommandLine = await loadCommandLine();
    const code = await runCommandLine(args, '1.2.3', {
      writeOut: (text) => (outcome.stdout += text),
      writeErr: (text) => (outcome.stderr += text),
    });
    return { code, ...outcome };
  }

  /** A failure: exit code 1, nothing on standard output, one message and no stack. */
  function expectFailure(
    outcome: { code: number | null; stdout: string; stderr: string },
    sentence: RegExp,
  ): void {
    expect(outcome.stderr).to.match(sentence);
    expect(outcome.stderr.trim().split('\n'), outcome.stderr).to.have.length(1);
    expect(outcome.stderr)
      .to.not.match(/Error:|node:internal/)
      .and.not.match(stack);
    expect(outcome.stdout).to.equal('');
    expect(outcome.code).to.equal(1);
  }

  describe('key create', () => {
    it('prints only the key on standard output, and messages on standard error (5.5)', async () => {
      const { code, stdout, stderr } = await qrelay(
        'key',
        'create',
        '--email',
        'print@example.com',
        '--name',
        'Till 3',
      );
      expect(code).to.equal(0);
      expect(stdout).to.match(oneKey);
      expect(stderr).to.include('print@example.com').and.include('Till 3').and.include('free');
      expect(stderr).to.not.include(stdout.trim());
      expect(await tablesHolding(service.db, stdout.trim().split('_')[2] ?? '')).to.deep.equal([]);
      expect((await apiClient(service.url, stdout.trim())('/qrcodes')).status).to.equal(200);
    });

    it('does the same through npm run -s qrelay -- (5.5)', async () => {
      const settings = { DATABASE_URL: service.databaseUrl };
      const { code, stdout, stderr } = await runQrelayWithNpm(
        ['key', 'create', '--email', 'npm@example.com'],
        settings,
      );
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(oneKey);
      expect((await apiClient(service.url, stdout.trim())('/qrcodes')).status).to.equal(200);
    });

    it('creates the user, on Free and without a password (decisions: Limits)', async () => {
      await newKey('--email', 'New@Example.com');
      expect(await users('new@example.com')).to.deep.equal([
        { email: 'New@Example.com', plan: 'free', password_hash: null },
      ]);
    });

    it('sets the given plan, and keeps the plan if none is given (decisions: Limits)', async () => {
      const first = await newKey('--email', 'plan@example.com', '--plan', 'pro');
      expect((await apiClient(service.url, first)('/qrcodes')).headers.get('x-ratelimit-limit')).to.equal(
        '100',
      );
      const second = await newKey('--email', 'plan@example.com');
      expect((await apiClient(service.url, second)('/qrcodes')).headers.get('x-ratelimit-limit')).to.equal(
        '100',
      );
      await newKey('--email', 'plan@example.com', '--plan', 'free');
      expect((await users('plan@example.com'))[0]?.plan).to.equal('free');
    });

    it('limits the key to the given scopes, until the end of the given day', async () => {
      const email = 'scopes@example.com';
      const scopes = ` analytics,read${',read'.repeat(1_000)}`;
      const key = await newKey('--email', email, '--scopes', scopes, '--expires', '2099-12-31');
      const api = apiClient(service.url, key);
      expect((await api('/qrcodes')).status).to.equal(200);
      expect((await api('/webhooks')).status).to.equal(403);
      await newKey('--email', email);
      const { stdout } = await qrelay('key', 'list', '--email', email);
      const [limited, unlimited] = stdout.split('\n').map((line) => line.split('\t').slice(4));
      expect(limited?.slice(0, 2)).to.deep.equal(['analytics,read', '2100-01-01T00:00:00.000Z']);
      expect(new Date(limited?.[2] ?? '').getTime()).to.be.closeTo(Date.now(), 600_000);
      expect(unlimited).to.deep.equal(['everything', 'never', 'never']);
      await service
        .db('api_keys')
        .where({ prefix: prefixOf(key) })
        .update({ expires_at: new Date() });
      expect((await api('/qrcodes')).status).to.equal(401);
      expect((await qrelay('key', 'list', '--email', email)).stdout).to.match(/^\w{8}\texpired\t/);
    });

    it('finds the user whatever the case of the e-mail (5.4)', async () => {
      await newKey('--email', 'case@example.com');
      await newKey('--email', 'CASE@Example.COM');
      expect(await users('case@example.com')).to.have.length(1);
      expect(
        (await qrelay('key', 'list', '--email', 'Case@example.com')).stdout.trim().split('\n'),
      ).to.have.length(2);
    });

    it('rejects an invalid e-mail with exit code 2, and creates no user (5.4)', async () => {
      const before: unknown = await service.db('users').count();
      const bad = ['', ' ', 'alice', '@example.com', 'alice@', 'a b@example.com', 'a@b@example.com'];
      bad.push('Alice <alice@example.com>', 'a@example.com\nb@example.com', `${'a'.repeat(243)}@example.com`);
      for (const text of bad) {
        const { code, stdout, stderr } = await askHere('key', 'create', '--email', text);
        expect(code, text).to.equal(2);
        expect(stdout).to.equal('');
        expect(stderr).to.include('--email').and.not.match(stack);
      }
      expect(await service.db('users').count()).to.deep.equal(before);
    });

    it('rejects an empty name and one of 101 characters, and accepts 100 (2.1)', async () => {
      for (const name of ['', '  ', 'é'.repeat(101)]) {
        const { code } = await askHere('key', 'create', '--email', 'name@example.com', '--name', name);
        expect(code).to.equal(2);
      }
      await newKey('--email', 'name@example.com', '--name', '🙂'.repeat(100));
    });
  });

  describe('key list', () => {
    it("prints a line for each key of the user, oldest first, and no key's secret (5.5)", async () => {
      const keys = [
        await newKey('--email', 'list@example.com'),
        await newKey('--email', 'list@example.com', '--name', 'Two'),
      ];
      await newKey('--email', 'somebody-else@example.com');
      await qrelay('key', 'revoke', prefixOf(keys[0] ?? ''));
      const { code, stdout, stderr } = await qrelay('key', 'list', '--email', 'list@example.com');
      expect(code).to.equal(0);
      expect(stderr).to.include('list@example.com').and.include('2 keys');
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
      expect(lines.map(([prefix, state, , name]) => [prefix, state, name])).to.deep.equal([
        [prefixOf(keys[0] ?? ''), 'revoked', 'command line'],
        [prefixOf(keys[1] ?? ''), 'active', 'Two'],
      ]);
      for (const [, , createdAt = ''] of lines) expect(new Date(createdAt).toISOString()).to.equal(createdAt);
      for (const key of keys) expect(stdout).to.not.include(key.split('_')[2]);
    });

    it('fails for an unknown user (5.4)', async () => {
      expectFailure(
        await qrelay('key', 'list', '--email', 'nobody@example.com'),
        /no user .*nobody@example\.com/,
      );
    });
  });

  describe('key revoke', () => {
    it('makes the key return 401 permanently, and can be repeated (5.3)', async () => {
      const key = await newKey('--email', 'revoke@example.com');
      const api = apiClient(service.url, key);
      expect((await api('/qrcodes')).status).to.equal(200);
      const revokedAt = async () =>
        (await service
          .db('api_keys')
          .where({ prefix: prefixOf(key) })
          .first('revoked_at')) as unknown;
      expect((await qrelay('key', 'revoke', prefixOf(key))).code).to.equal(0);
      expect((await api('/qrcodes')).status).to.equal(401);
      const first = await revokedAt();
      expect((await qrelay('key', 'revoke', prefixOf(key))).code).to.equal(0);
      expect(await revokedAt()).to.deep.equal(first);
      expect((await api('/qrcodes')).status).to.equal(401);
    });

    it('accepts the whole key too, and does not repeat its secret (5.3)', async () => {
      const key = await newKey('--email', 'revoke-whole@example.com');
      const { code, stderr } = await qrelay('key', 'revoke', key);
      expect(code).to.equal(0);
      expect(stderr).to.contain(prefixOf(key)).and.not.contain(key);
      expect((await apiClient(service.url, key)('/qrcodes')).status).to.equal(401);
    });

    it('fails for an unknown prefix (5.3)', async () => {
      expectFailure(await qrelay('key', 'revoke', 'AAAAAAAA'), /no key .*AAAAAAAA/);
    });
  });

  describe('user plan', () => {
    it('sets the plan, which applies to the next request (decisions: Limits)', async () => {
      const api = apiClient(service.url, await newKey('--email', 'user-plan@example.com'));
      expect((await api('/qrcodes')).headers.get('x-ratelimit-limit')).to.equal('20');
      expect(
        (await qrelay('user', 'plan', '--email', 'USER-plan@example.com', '--plan', 'pro')).code,
      ).to.equal(0);
      expect((await api('/qrcodes')).headers.get('x-ratelimit-limit')).to.equal('100');
    });

    it('fails for an unknown user (decisions: Limits)', async () => {
      const outcome = await qrelay('user', 'plan', '--email', 'nobody@example.com', '--plan', 'pro');
      expectFailure(outcome, /no user .*nobody@example\.com/);
      expect(await users('nobody@example.com')).to.deep.equal([]);
    });
  });

  describe('user limits', () => {
    it('sets limits of a user, which apply to the next request, lists them, and resets them', async () => {
      const email = 'user-limits@example.com';
      const api = apiClient(service.url, await newKey('--email', email));
      const set = await qrelay('user', 'limits', '--email', email, '--set', 'codes=5,requestsPerHour=50');
      expect(set.code, set.stderr).to.equal(0);
      expect(set.stdout).to.contain('requestsPerHour\t50\tset\n').and.to.contain('webhooks\t3\tplan\n');
      expect((await api('/qrcodes')).headers.get('x-ratelimit-limit')).to.equal('50');
      const reset = await qrelay('user', 'limits', '--email', email, '--reset', 'requestsPerHour');
      expect(reset.stdout).to.contain('requestsPerHour\t20\tplan\n').and.to.contain('codes\t5\tset\n');
      expect((await api('/qrcodes')).headers.get('x-ratelimit-limit')).to.equal('20');
    });
  });

  describe('user password', () => {
    it('prints a password that works for signing in, and ends every session', async () => {
      const user = await findOrCreateUser(service.db, 'locked-out@example.com', new Date());
      const session = await startSession(service.db, user.id, new Date());
      const { code, stdout } = await qrelay('user', 'password', '--email', user.email);
      expect(code).to.equal(0);
      expect(await signInStatus(service.url, user.email, stdout.trim())).to.equal(303);
      expect(await findSessionUser(service.db, session, new Date())).to.equal(undefined);
    });
  });

  describe('user identity', () => {
    it('removes the link to the OpenID provider, ends every session, and is recorded', async () => {
      const user = await findOrCreateUser(service.db, 'left@example.com', new Date());
      const session = await startSession(service.db, user.id, new Date());
      const key = { issuer: 'https://id.test', subject: 'left' };
      await linkIdentity(service.db, { ...key, email: user.email, userId: user.id }, new Date());
      const { code, stderr } = await qrelay('user', 'identity', '--email', user.email, '--off');
      expect(code, stderr).to.equal(0);
      expect(await service.db('identities').where(key)).to.deep.equal([]);
      expect(await findSessionUser(service.db, session, new Date())).to.equal(undefined);
      expect(await service.db('operator_actions').where({ target: user.id }).pluck('action')).to.deep.equal([
        'account.identity',
      ]);
    });
  });

  describe('user admin', () => {
    it('fails for an unknown user, and creates none', async () => {
      const outcome = await qrelay('user', 'admin', '--email', 'nobody@example.com');
      expectFailure(outcome, /no user .*nobody@example\.com/);
      expect(await users('nobody@example.com')).to.deep.equal([]);
    });

    it('says how to create the user first', async () => {
      const outcome = await qrelay('user', 'admin', '--email', 'nobody@example.com');
      expectFailure(outcome, /`qrelay user password --email nobody@example\.com` creates the account/);
    });
  });

  it('records every change for the audit log, and nothing secret', async () => {
    const email = 'audited@example.com';
    const { stdout: key } = await qrelay(
      'key',
      'create',
      '--email',
      email,
      '--plan',
      'pro',
      '--name',
      'Shop',
    );
    await qrelay('user', 'plan', '--email', email, '--plan', 'free');
    await qrelay('user', 'plan', '--email', email, '--plan', 'free');
    await qrelay('user', 'password', '--email', email);
    await qrelay('user', 'admin', '--email', email);
    await qrelay('user', 'admin', '--email', email, '--off');
    await qrelay('key', 'revoke', key.split('_')[1] ?? '');
    const { id } = await findOrCreateUser(service.db, email, new Date());
    const recorded = await listActions(service.db, { target: id, limit: 20 });
    expect(
      recorded.map(({ action, operatorId, note }) => [action, operatorId, note]).toReversed(),
    ).to.deep.equal([
      ['plan.change', null, 'free → pro'],
      ['key.create', null, 'Shop'],
      ['plan.change', null, 'pro → free'],
      ['account.password', null, null],
      ['operator.add', null, null],
      ['operator.remove', null, null],
      ['key.revoke', null, 'Shop'],
    ]);
  });

  describe('usage', () => {
    it('explains each command with --help, with exit code 0 and without a database (5.4)', async () => {
      for (const command of commands) {
        const { code, stdout, stderr } = await askHere(...words(command), '--help');
        expect(code, command).to.equal(0);
        expect(stdout.startsWith(`Usage: ${['qrelay', ...words(command)].join(' ')} `), stdout).to.equal(
          true,
        );
        expect(stderr).to.equal('');
      }
    });

    it('exits with code 2 on wrong usage, and says why (5.4)', async () => {
      for (const command of misuses) {
        const { code, stdout, stderr } = await askHere(...words(command));
        expect(code, command).to.equal(2);
        expect(stdout).to.equal('');
        expect(stderr)
          .to.match(/error:|Usage:/)
          .and.not.match(stack);
      }
    });

    it('does the same in its own process: help, wrong usage, version (5.4)', async () => {
      const [help, misuse, version, build] = await Promise.all([
        runQrelay(['key', 'create', '--help'], {}),
        runQrelay(['key', 'create'], {}),
        runQrelay(['--version'], {}),
        runQrelay(['--version'], { QRELAY_COMMIT: '1a2b3c4', PORT: 'not a port' }),
      ]);
      expect(help).to.include({ code: 0, stderr: '' });
      expect(misuse).to.include({ code: 2, stdout: '' });
      expect(misuse.stderr).to.contain("required option '--email <email>' not specified");
      const { version: own } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
      const commit = await readFile('dist/commit', 'utf8').catch(() => undefined);
      expect(version).to.deep.equal({
        code: 0,
        stdout: `${commit === undefined ? own : `${own} (${commit})`}\n`,
        stderr: '',
      });
      expect(build).to.deep.equal({ code: 0, stdout: `${own} (1a2b3c4)\n`, stderr: '' });
    });
  });

  describe('failures', () => {
    const list = (settings: Record<string, string>) =>
      runQrelayHere(['key', 'list', '--email', 'a@example.com'], settings);
    const changed = (change: (url: URL) => void) => {
      const url = new URL(service.databaseUrl);
      change(url);
      return { DATABASE_URL: url.href };
    };

    it('fails with one message if no database responds (decisions: Where things run)', async () => {
      const port = String(await freePort());
      for (const host of ['127.0.0.1', 'localhost']) {
        const settings = changed((url) => Object.assign(url, { hostname: host, port }));
        expectFailure(await list(settings), /database cannot be reached/);
      }
    });

    it("fails with one message if the database's host is unknown (decisions: Where things run)", async () => {
      expectFailure(await list(changed((url) => Object.assign(url, { hostname: 'db.invalid' }))), /database/);
    });

    it('fails with one message if the password is wrong, and does not repeat it (decisions: Where things run)', async () => {
      const outcome = await list(changed((url) => Object.assign(url, { password: 'hunter2' })));
      expect(outcome.stderr).to.not.include('hunter2');
      expectFailure(outcome, /password|database/i);
    });

    it('fails with one message if the database does not exist (decisions: Where things run)', async () => {
      expectFailure(await list(changed((url) => Object.assign(url, { pathname: '/not_there' }))), /database/);
    });

    it('fails with one message if the database was never migrated (decisions: Where things run)', async () => {
      const bare = await createBareDatabase();
      expectFailure(await list({ DATABASE_URL: bare.url }), /migrate/);
      await bare.drop();
    });

    it('fails with one message if no database is running in DATA_DIR (decisions: Where things run)', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'qrelay-empty-'));
      for (const dataDir of [folder, join(folder, 'not', 'there')]) {
        expectFailure(await list({ DATA_DIR: dataDir }), /No database is running in .*npm start/);
      }
      await rm(folder, { recursive: true });
    });

    it('reports every error of the environment, without a stack (decisions: Where things run)', async () => {
      const { code, stderr } = await list({ DATABASE_URL: 'mysql://u:hunter2@db.test', PORT: 'x' });
      expect(code).to.equal(1);
      expect(stderr).to.include('DATABASE_URL').and.include('PORT').and.not.include('hunter2');
      expect(stderr).to.not.match(stack);
    });
  });

  it('migrates an empty database, and says so when there is nothing to do (decisions: Where things run)', async () => {
    const bare = await createBareDatabase();
    const settings = { DATABASE_URL: bare.url };
    const first = await runQrelayHere(['migrate'], settings);
    expect(first).to.include({ code: 0, stdout: '' });
    expect(first.stderr).to.match(/^Applied 0001-accounts, /);
    expect(await runQrelayHere(['migrate'], settings)).to.deep.equal({
      code: 0,
      stdout: '',
      stderr: 'The schema is up to date.\n',
    });
    expect((await runQrelayHere(['key', 'create', '--email', 'a@example.com'], settings)).stdout).to.match(
      oneKey,
    );
    await bare.drop();
  });

  it('with --if-reachable, migrates nothing and succeeds while no database answers, and fails if one rejects it', async () => {
    const nowhere = { DATABASE_URL: `postgres://qrelay@127.0.0.1:${await freePort()}/qrelay` };
    expect((await runQrelayHere(['migrate'], nowhere)).code).to.equal(1);
    const skipped = await runQrelayHere(['migrate', '--if-reachable'], nowhere);
    expect(skipped.code).to.equal(0);
    expect(skipped.stderr).to.include('The database cannot be reached.');
    const bare = await createBareDatabase();
    const rejected = new URL(bare.url);
    rejected.pathname = '/no-such-database';
    expect(
      (await runQrelayHere(['migrate', '--if-reachable'], { DATABASE_URL: rejected.href })).code,
    ).to.equal(1);
    await bare.drop();
  });
});
