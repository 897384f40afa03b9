import { expect } from 'chai';
import { runQrelayHere } from '../support/command-line.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectNoInternalDetails } from './no-internal-details.ts';

interface CommandRow {
  name: string;
  args: string[];
  /** Instead of the test database. */
  settings?: Record<string, string>;
  /** 1: failed. 2: invalid usage. */
  code: 1 | 2;
  says: string;
}

const create = (...args: string[]) => ['key', 'create', '--email', 'a@example.com', ...args];
const list = ['key', 'list', '--email', 'a@example.com'];
const noEmail = 'Must look like you@example.com.';
const noName = 'Must be one line of 1 to 100 visible characters.';
const reached = (DATABASE_URL: string) => ({ args: list, settings: { DATABASE_URL } });

const invalidScopes = [
  '',
  'admin',
  'read,',
  'READ',
  'read;codes',
  'read\0',
  Array(1_000).fill('x').join(','),
];
const invalidDays = ['', 'tomorrow', '2099-02-31', '+010000-01-01', '2099-12-31\0'];
const grants: CommandRow[] = [
  ...invalidScopes.map((scopes) => ({
    name: `the scopes ${JSON.stringify(scopes.slice(0, 20))}`,
    args: create('--scopes', scopes),
    code: 2 as const,
    says: 'Must be some of read, codes, analytics, webhooks, audit, separated by commas.',
  })),
  ...invalidDays.map((day) => ({
    name: `the end ${JSON.stringify(day)}`,
    args: create('--expires', day),
    code: 2 as const,
    says: 'Must be a day, such as 2030-12-31.',
  })),
];

const rows: CommandRow[] = [
  { name: 'a command without a letter', args: [''], code: 2, says: "unknown command ''" },
  {
    name: 'an option for an email',
    args: ['key', 'create', '--email', '--plan=pro'],
    code: 2,
    says: noEmail,
  },
  {
    name: 'an email of 100 KB',
    args: ['key', 'create', '--email', `a@${'b'.repeat(100_000)}`],
    code: 2,
    says: noEmail,
  },
  {
    name: 'an email with a header',
    args: ['key', 'list', '--email', 'a@example.com\r\nBcc:b'],
    code: 2,
    says: noEmail,
  },
  {
    name: 'a plan in capitals',
    args: create('--plan', 'PRO'),
    code: 2,
    says: 'Allowed choices are free, pro.',
  },
  { name: 'a name of two lines', args: create('--name', 'Till\n3'), code: 2, says: noName },
  {
    name: 'a name that acts on the terminal',
    args: create('--name', 'Till\u001b[2J'),
    code: 2,
    says: noName,
  },
  { name: 'a name that turns round', args: create('--name', 'Till \u202egnp'), code: 2, says: noName },
  { name: 'a name that has no width', args: create('--name', '\u200b\u202e'), code: 2, says: noName },
  ...grants,
  { name: 'an end in the past', args: create('--expires', '2020-12-31'), code: 2, says: 'This day is over.' },
  {
    name: 'a key by SQL',
    args: ['key', 'revoke', "'; DROP TABLE api_keys; --"],
    code: 1,
    says: 'There is no key with the prefix',
  },
  {
    name: 'a key by an option',
    args: ['key', 'revoke', '--', '--all'],
    code: 1,
    says: 'There is no key with the prefix --all',
  },
  {
    name: 'a code by a way up',
    args: ['block', 'code', '../../etc/passwd'],
    code: 2,
    says: 'Must be a share link',
  },
  {
    name: 'a code of nobody',
    args: ['block', 'code', 'aaaaaaaaaa'],
    code: 1,
    says: 'There is no code with the id or token aaaaaaaaaa.',
  },
  {
    name: 'a host that is none',
    args: ['block', 'host', 'http://'],
    code: 2,
    says: 'Must be a host, such as example.com',
  },
  {
    name: 'all of .com for a host',
    args: ['block', 'host', 'com'],
    code: 2,
    says: 'every code to a host that ends in .com would be taken down. If you mean that, add --top-level.',
  },
  { name: 'scans past every number', args: ['demo', '--scans', '1e999'], code: 2, says: '--scans' },
  {
    name: 'a data folder that is a file',
    args: list,
    settings: { DATA_DIR: '/dev/null' },
    code: 1,
    says: 'No database is running in /dev/null.',
  },
  { name: 'a database that is no address', ...reached('nonsense'), code: 1, says: 'DATABASE_URL' },
  {
    name: 'a database on a port that is none',
    ...reached('postgres://u:hunter2@127.0.0.1:99999/x'),
    code: 1,
    says: 'DATABASE_URL',
  },
  {
    name: 'a database where nobody listens',
    ...reached('postgres://u:hunter2@127.0.0.1:1/x'),
    code: 1,
    says: 'cannot be reached',
  },
];

describe(`Hostile input to the command line (${rows.length} cases)`, () => {
  let service: TestService;
  let outcomes: Awaited<ReturnType<typeof runQrelayHere>>[];

  before(async () => {
    service = await startService();
    const usual = { DATABASE_URL: service.databaseUrl };
    outcomes = await Promise.all(rows.map(({ args, settings = usual }) => runQrelayHere(args, settings)));
  });
  after(() => service.stop());

  for (const [index, { name, code, says }] of rows.entries()) {
    it(`${name}: exit code ${code}, a message and nothing on standard output`, () => {
      const outcome = outcomes[index];
      expect(outcome?.stderr).to.contain(says);
      expect(outcome).to.include({ code, stdout: '' });
      expectNoInternalDetails(outcome?.stderr ?? '');
      expect(outcome?.stderr).to.not.match(/hunter2|node:internal|\bError:/);
    });
  }

  it('created no account and blocked nothing', async () => {
    expect(await service.db('users').select()).to.deep.equal([]);
    expect(await service.db('blocks').select()).to.deep.equal([]);
  });
});
