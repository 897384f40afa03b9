import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import {
  addExportChunk,
  findExport,
  purgeExports,
  requestExport,
} from '../../../src/accounts/account-exports.ts';
import { deleteUser, findUserByEmail } from '../../../src/accounts/users.ts';
import { createExportHandler } from '../../../workers/export-handler.ts';
import { apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { fillScans } from '../../support/fill-scans.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { mainText } from '../../support/operator.ts';
import { onBothQueues } from '../../support/queue-engines.ts';
import { readZip } from '../../support/read-zip.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';
import { testLog } from '../../support/test-log.ts';

const day = 86_400_000;
const linesOf = (file: Buffer | undefined) => file?.toString().replace('\uFEFF', '').trimEnd().split('\r\n');

onBothQueues('The export of an account', (redisUrl) => {
  let service: TestService;
  before(async () => {
    service = await startService({ worker: true, redisUrl: redisUrl() });
  });
  afterEach(() => service.setNow(undefined));
  after(() => service.stop());

  async function download(client: FormClient): Promise<Map<string, Buffer>> {
    return eventually(async () => {
      const answer = await client.get('/account/export.zip');
      expect(answer.status).to.equal(200);
      const archive = Buffer.from(await answer.arrayBuffer());
      expect(answer.headers.get('Content-Length')).to.equal(String(archive.length));
      return readZip(archive);
    });
  }

  async function ask(client: FormClient): Promise<string> {
    await client.get('/account');
    expect((await client.post('/account/export', {})).status).to.equal(303);
    return mainText(await client.get('/account'));
  }

  it('has the account, all codes and all scans, and nothing of others', async () => {
    const key = await service.makeKey({ email: 'ann@example.com' });
    const api = apiClient(service.url, key);
    const code = await createCode(api, { name: 'Menu, "new"', content: 'https://example.com/menu' });
    await createCode(api, { name: 'Unused' });
    await fillScans(service.db, code.id, 2_500, 30);
    const others = await createCode(apiClient(service.url, await service.makeKey()), { name: 'Secret' });
    await fillScans(service.db, others.id, 3, 1);
    const ann = await signedIn(service, 'ann@example.com');
    expect(await ask(ann)).to.contain('Your export is being created');
    const archive = await download(ann);
    expect([...archive.keys()]).to.deep.equal([
      'account.json',
      'codes.json',
      'codes.csv',
      'styles.json',
      'scans.csv',
    ]);
    const account = JSON.parse(String(archive.get('account.json'))) as {
      account: object;
      apiKeys: { prefix: string }[];
    };
    expect(account.account).to.include({ email: 'ann@example.com', plan: 'pro' });
    expect(account.apiKeys.map(({ prefix }) => key.includes(prefix))).to.deep.equal([true]);
    const codes = JSON.parse(String(archive.get('codes.json'))) as object[];
    expect(codes).to.have.length(2);
    expect(codes[0]).to.include({
      id: code.id,
      content: 'https://example.com/menu',
      shareUrl: code.shareUrl,
    });
    expect(linesOf(archive.get('codes.csv'))?.[1]).to.contain(`${code.id},"Menu, ""new""",url,`);
    const scans = linesOf(archive.get('scans.csv')) ?? [];
    expect(new Set(scans.slice(1)).size).to.equal(2_500);
    const all = Buffer.concat([...archive.values()]).toString();
    expect(all)
      .not.to.contain('Secret')
      .and.not.to.contain(others.id)
      .and.not.to.match(/hash|sealed/i);
    expect(await mainText(await ann.get('/account'))).to.contain('Download the export');
  });

  it('is for its owner only, and for seven days', async () => {
    const [owner, other] = [
      await signedIn(service, 'owner@example.com'),
      await signedIn(service, 'other@example.com'),
    ];
    await ask(owner);
    await download(owner);
    expect((await other.get('/account/export.zip')).status).to.equal(404);
    const stranger = await fetch(`${service.url}/account/export.zip`, {
      redirect: 'manual',
      headers: { Accept: 'text/html' },
    });
    expect(stranger.headers.get('Location')).to.equal('/signin?next=%2Faccount%2Fexport.zip');
    const { id } = await findUserByEmail(service.db, 'owner@example.com');
    const later = new Date(Date.now() + 7 * day);
    expect(await findExport(service.db, id, later)).to.equal(undefined);
    expect(await purgeExports(service.db, new Date(Date.now() + 6 * day))).to.equal(0);
    expect(await purgeExports(service.db, later)).to.be.at.least(1);
    expect(await service.db('account_export_chunks').where({ user_id: id })).to.deep.equal([]);
    expect((await owner.get('/account/export.zip')).status).to.equal(404);
  });

  it('is built once when its job is delivered twice, also after a worker was killed in the middle', async () => {
    const client = await signedIn(service, 'twice@example.com');
    const user = await findUserByEmail(service.db, 'twice@example.com');
    const requestId = (await requestExport(service.db, user.id, new Date())) ?? '';
    expect(await requestExport(service.db, user.id, new Date())).to.equal(undefined);
    const unfinished = { buildId: uuidv7(), position: 0, userId: user.id, data: Buffer.from('PK') };
    await addExportChunk(service.db, unfinished, new Date());
    const site = { baseUrl: 'https://qr.test' };
    const handle = createExportHandler({ backgroundDb: service.db, site, log: testLog() });
    await Promise.all([1, 2].map(() => handle({ userId: user.id, requestId })));
    await handle({ userId: user.id, requestId });
    const builds = (await service
      .db('account_export_chunks')
      .where({ user_id: user.id })
      .distinct('build_id')) as object[];
    expect(builds).to.have.length(1);
    expect([...(await download(client)).keys()]).to.include('account.json');
    await deleteUser(service.db, user);
    expect(await service.db('account_exports').where({ user_id: user.id })).to.deep.equal([]);
    expect(await service.db('account_export_chunks').where({ user_id: user.id })).to.deep.equal([]);
  });

  it('can be asked for three times an hour', async () => {
    const client = await signedIn(service, 'often@example.com');
    for (let time = 0; time < 3; time += 1) {
      expect(await ask(client)).to.contain('Your export is being created');
      await download(client);
    }
    expect(await ask(client)).to.contain('too many exports');
  });
});
