import { expect } from 'chai';

interface LogCheck {
  secretsIn(line: string): string[];
}

describe('The check of the logs of a test run', () => {
  let check: LogCheck;
  before(async () => {
    check = (await import(new URL('../log-check.mjs', import.meta.url).href)) as LogCheck;
  });
  const line = (fields: object) =>
    JSON.stringify({ level: 30, time: 1_790_000_000_000, pid: 4711, ...fields });

  for (const [what, fields] of [
    ['a key', { msg: 'key qrl_abcd1234_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab' }],
    ['a key', { headers: { authorization: 'Bearer 0123456789abcdef' } }],
    ['a cookie', { headers: { cookie: 'x' } }],
    ['a cookie', { msg: '__Host-qrelay-session=abc' }],
    ['a password', { body: { password: 'correct horse battery' } }],
    ['a password', { err: { message: 'postgres://qrelay:s3cret@db.test/qrelay' } }],
    ['a query string', { url: '/codes?q=summer' }],
    ['an e-mail', { msg: 'no user ann@example.com' }],
    ["a client's address", { remoteAddress: '203.0.113.9' }],
    ["a client's address", { remoteAddress: '::ffff:127.0.0.1' }],
    ["a client's address", { msg: 'from 2001:db8::1.' }],
    ["a client's address", { msg: 'from 127.0.0.1' }],
  ] as const) {
    it(`finds ${what} in ${JSON.stringify(fields)}`, () => {
      expect(check.secretsIn(line(fields))).to.include(what);
    });
  }

  it('finds nothing in an ordinary line, nor in the address of a server that could not be reached', () => {
    for (const fields of [
      { requestId: '8f14e45f-ceea-467f-a0e6-9d5b3a1f1a4e', route: '/codes/:id', status: 200, ms: 1.5 },
      {
        err: {
          message: 'connect ECONNREFUSED 127.0.0.1:6379',
          stack: '    at file:///srv/dist/src/x.js:10:5',
        },
      },
      { err: { message: 'connect ECONNREFUSED ::1:5432' } },
      { err: { message: 'SELECT sum(count)::bigint, day::date, 1::decimal FROM scans' } },
    ])
      expect(check.secretsIn(line(fields))).to.deep.equal([]);
  });
});
