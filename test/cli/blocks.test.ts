import { expect } from 'chai';
import { listActions } from '../../src/accounts/operator-actions.ts';
import { findUserByEmail, setAdmin } from '../../src/accounts/users.ts';
import { listBlocks } from '../../src/codes/blocks.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';

describe('qrelay block, unblock and blocks', function () {
  this.timeout(120_000);
  let service: TestService;
  let api: ApiClient;
  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey());
  });
  after(() => service.stop());

  const qrelay = (...args: string[]) => runQrelayHere(args, { DATABASE_URL: service.databaseUrl });
  const statusOf = async (token: string) => (await openShare(service.url, token)).status;
  const blocked = async () => (await listBlocks(service.db)).map(({ kind, value }) => [kind, value]);

  async function done(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await qrelay(...args);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.equal('');
    return stderr.trimEnd();
  }

  async function failed(exitCode: number, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await qrelay(...args);
    expect(code, stderr).to.equal(exitCode);
    expect(stdout).to.equal('');
    expect(stderr).to.not.match(/^\s+at /m);
    return stderr.trimEnd();
  }

  it('blocks a code by its id, its token or its share link, lists it with the reason, and unblocks it', async () => {
    expect(await qrelay('blocks')).to.deep.equal({ code: 0, stdout: '', stderr: 'Nothing is blocked.\n' });
    const codes = await Promise.all([createCode(api), createCode(api), createCode(api)]);
    const ids = codes.map(({ id }) => id);
    const byId = codes[0].id.toUpperCase();
    const byToken = codes[1].shareToken;
    const byAddress = `${codes[2].shareUrl}.png?download`;
    expect(await done('block', 'code', byId, '--reason', 'phishing,\n reported\ttwice')).to.equal(
      `Blocked the code ${ids[0]}: 1 code is affected.`,
    );
    await done('block', 'code', byToken);
    await done('block', 'code', byAddress);
    for (const { shareToken } of codes) expect(await statusOf(shareToken)).to.equal(410);
    const list = await qrelay('blocks');
    expect(list).to.include({ code: 0, stderr: '3 blocks.\n' });
    const lines = list.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'));
    expect(lines.map(([kind, value, , reason]) => [kind, value, reason])).to.deep.equal([
      ['code', ids[0], 'phishing, reported twice'],
      ['code', ids[1], ''],
      ['code', ids[2], ''],
    ]);
    for (const [, , moment = ''] of lines) expect(new Date(moment).toISOString()).to.equal(moment);

    expect(await done('block', 'code', byId, '--reason', 'again')).to.equal(
      `Code ${ids[0]} is already blocked.`,
    );
    expect((await listBlocks(service.db))[0]?.reason).to.contain('phishing');

    expect(await done('unblock', 'code', byId)).to.equal(`Unblocked the code ${ids[0]}.`);
    expect(await failed(1, 'unblock', 'code', byId)).to.equal(`Code ${ids[0]} is not blocked.`);
    await api(`/qrcodes/${ids[1]}`, { method: 'DELETE' });
    await done('unblock', 'code', ids[1] ?? '');
    await done('unblock', 'code', byAddress);
    expect(await blocked()).to.deep.equal([]);
  });

  it('blocks a host however it is written, says how many codes are affected, and unblocks it', async () => {
    const [code] = await Promise.all([
      createCode(api, { content: 'https://www.bücher.example/' }),
      createCode(api, { type: 'text', content: 'http://BÜCHER.example' }),
      createCode(api, { content: 'https://not-bücher.example/' }),
    ]);
    const host = 'xn--bcher-kva.example';
    expect(await done('block', 'host', 'https://Bücher.example:8443/path')).to.equal(
      `Blocked ${host}, including its subdomains: 2 codes are affected.`,
    );
    expect(await done('block', 'host', `${host}.`)).to.equal(
      `${host} is already blocked, including its subdomains: 2 codes are affected.`,
    );
    expect(await statusOf(code.shareToken)).to.equal(410);
    expect(await blocked()).to.deep.equal([['host', host]]);
    expect(await failed(1, 'unblock', 'host', `www.${host}`)).to.equal(
      `www.${host} is not blocked. A parent domain is still blocked: ${host}.`,
    );
    expect(await failed(1, 'unblock', 'code', code.id)).to.equal(
      `Code ${code.id} is not blocked. A host that it leads to is still blocked.`,
    );
    expect(await done('unblock', 'host', `*.${host}`)).to.equal(`Unblocked ${host}.`);
    expect(await failed(1, 'unblock', 'host', host)).to.equal(`${host} is not blocked.`);
    expect(await blocked()).to.deep.equal([]);
  });

  it('blocks an account with its codes and keys, lists it by its e-mail, and unblocks it', async () => {
    const email = 'abuser@example.com';
    const key = await service.makeKey({ email });
    const { id, shareToken } = await createCode(apiClient(service.url, key));
    expect(await done('block', 'account', 'Abuser@Example.com', '--reason', 'spam')).to.equal(
      `Blocked the account ${email} and its codes.`,
    );
    expect(await done('block', 'account', email)).to.equal(`${email} is already blocked.`);
    const { stdout } = await qrelay('blocks');
    expect(stdout).to.match(/^account\tabuser@example\.com\t\S+Z\tspam\n$/);
    expect(await statusOf(shareToken)).to.equal(410);
    expect((await apiClient(service.url, key)('/qrcodes')).status).to.equal(401);
    expect(await failed(1, 'unblock', 'code', id)).to.equal(
      `Code ${id} is not blocked. Its workspace is still blocked.`,
    );
    expect(await done('unblock', 'account', email)).to.equal(`Unblocked the account ${email} and its codes.`);
    expect(await failed(1, 'unblock', 'account', email)).to.equal(`${email} is not blocked.`);
    expect(await failed(1, 'block', 'account', 'nobody@example.com')).to.contain('There is no user');
    expect((await apiClient(service.url, key)('/qrcodes')).status).to.equal(200);
    const user = await findUserByEmail(service.db, email);
    const recorded = await listActions(service.db, { target: user.id, limit: 10 });
    expect(recorded.map(({ action, operatorId, note }) => [action, operatorId, note])).to.deep.equal([
      ['account.unblock', null, null],
      ['account.block', null, 'spam'],
    ]);
    await setAdmin(service.db, user, true, new Date());
    expect(await failed(1, 'block', 'account', email)).to.contain('is an operator');
  });

  it('fails with one message for an unknown code, and explains what a code and a host look like', async () => {
    const id = '01890000-0000-7000-8000-000000000000';
    const [unknownId, unknownToken, noCode, noHost] = await Promise.all([
      failed(1, 'block', 'code', id),
      failed(1, 'unblock', 'code', 'https://qr.test/r/0000000000'),
      failed(2, 'block', 'code', 'nonsense'),
      failed(2, 'block', 'host', 'not a host'),
    ]);
    expect(unknownId).to.equal(`There is no code with the id or token ${id}.`);
    expect(unknownToken).to.equal('There is no code with the id or token 0000000000.');
    expect(noCode).to.contain('share link');
    expect(noHost).to.contain('such as example.com');
    expect(await blocked()).to.deep.equal([]);
  });
});
