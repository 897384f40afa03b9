import { expect } from 'chai';
import { addBlock } from '../../../src/codes/blocks.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';
import { sharedService } from '../../support/shared-service.ts';

const email = 'owner@example.com';
const slowCard = `BEGIN:VCARD\nA${';QUOTED-PRINTABLE'.repeat(100)}${'\n\t'.repeat(600)}x`;

describe('The list of codes and the hosts of their links', () => {
  let service: TestService;
  let api: ApiClient;
  let browser: FormClient;

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey({ email }));
    browser = await signedIn(service, email);
    await addBlock(service.db, { kind: 'host', value: 'evil.example', reason: null, createdAt: new Date() });
  });
  after(() => service.stop());
  afterEach(() => service.db('qr_codes').delete());

  const isListedAsBlocked = async () => (await (await browser.get('/codes')).text()).includes('>Blocked<');
  const storedHosts = async (id: string): Promise<string[] | null> =>
    (await service.db('qr_codes').where({ id }).first('hosts')).hosts;

  it('stores the hosts with a new code and with a changed one', async () => {
    const { id } = await createCode(api, { content: 'https://one.example/' });
    expect(await storedHosts(id)).to.deep.equal(['one.example']);
    const changed = await api(`/qrcodes/${id}`, {
      method: 'PATCH',
      body: { content: 'https://two.example/' },
    });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.not.have.any.keys('hosts', 'hostsKey');
    expect(await storedHosts(id)).to.deep.equal(['two.example']);
  });

  it('stores the host of the address after the end when nothing else is changed, and forgets it with it', async () => {
    const { id } = await createCode(api, { content: 'https://one.example/' });
    const change = (afterExpiryUrl: string | null) =>
      api(`/qrcodes/${id}/ending`, { method: 'PATCH', body: { afterExpiryUrl } });
    expect((await change('https://later.example/')).status).to.equal(200);
    expect(await storedHosts(id)).to.deep.equal(['one.example', 'later.example']);
    expect((await change(null)).status).to.equal(200);
    expect(await storedHosts(id)).to.deep.equal(['one.example']);
  });

  it('uses the stored hosts and does not parse the content', async () => {
    const { id } = await createCode(api, { content: 'https://good.example/' });
    expect(await isListedAsBlocked()).to.equal(false);
    await service
      .db('qr_codes')
      .where({ id })
      .update({ hosts: ['www.evil.example'] });
    expect(await isListedAsBlocked()).to.equal(true);
  });

  it('parses the content once where no hosts are stored', async () => {
    const { id } = await createCode(api, { content: 'https://good.example/' });
    await service.db('qr_codes').where({ id }).update({ hosts: null, hosts_key: null });
    expect(await isListedAsBlocked()).to.equal(false);
    expect(await storedHosts(id)).to.deep.equal(['good.example']);
  });

  it('ignores hosts that an older release stored for previous content', async () => {
    const { id } = await createCode(api, { content: 'https://good.example/' });
    await service.db('qr_codes').where({ id }).update({ content: 'https://evil.example/' });
    expect(await isListedAsBlocked()).to.equal(true);
    expect(await storedHosts(id)).to.deep.equal(['evil.example']);
  });

  it('does not wait for locks on a code', async () => {
    const { id } = await createCode(api, { content: 'https://good.example/' });
    await service.db('qr_codes').where({ id }).update({ hosts: null, hosts_key: null });
    await service.db.transaction(async (holder) => {
      await holder('qr_codes').where({ id }).forUpdate();
      expect(await isListedAsBlocked()).to.equal(false);
    });
    expect(await storedHosts(id)).to.equal(null);
  });

  it('shows 20 codes of the slowest content as quickly as others', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () =>
        createCode(api, { type: 'vcard', content: slowCard, errorCorrection: 'L', size: 1024 }),
      ),
    );
    expect(await service.db('qr_codes')).to.have.length(20);
    await browser.get('/codes');
    const cpu = process.cpuUsage();
    expect((await browser.get('/codes')).status).to.equal(200);
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1_000, 'ms of CPU time').to.be.lessThan(500);
  });
});

describe('Content that is too long, in a form', () => {
  let browser: FormClient;

  before(async () => {
    browser = await signedIn(await sharedService(), 'long-content@example.com');
  });

  const forms: Record<string, Record<string, string>> = {
    social: { linkAddress1: `${','.repeat(15_000)}a`, linkLabel1: ':'.repeat(300) },
    wifi: { networkName: `${'\n'.repeat(20_000)}a`, password: 'secret', security: 'WPA' },
    email: { to: 'ada@example.com', body: '%'.repeat(15_000) },
    vcard: { contactName: 'Ada', website: `a.${'a.'.repeat(20_000)}` },
  };
  for (const [type, fields] of Object.entries(forms)) {
    it(`of type ${type} is rejected for its length without being parsed`, async () => {
      await browser.get(`/codes/new?type=${type}`);
      const cpu = process.cpuUsage();
      const look = {
        foregroundColor: '#000000',
        backgroundColor: '#ffffff',
        size: '512',
        errorCorrection: 'M',
      };
      const answer = await browser.post('/codes/new', { type, name: 'Long', ...look, ...fields });
      const { user, system } = process.cpuUsage(cpu);
      expect(answer.status).to.equal(400);
      expect(await answer.text()).to.contain('2331 bytes');
      expect((user + system) / 1_000, 'ms of CPU time').to.be.lessThan(500);
    });
  }
});
