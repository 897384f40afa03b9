import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { purgeOldWindows } from '../../src/accounts/request-windows.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { ageRequests, subjectOf } from '../support/request-windows.ts';
import { tablesHolding } from '../support/search-tables.ts';
import { startService, type TestService } from '../support/service.ts';

describe('requests without a valid key (decisions: Limits)', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ config: { trustProxyHops: 1 } });
  });
  after(() => service.stop());
  beforeEach(() => service.db('request_windows').delete());

  const from = (address: string, key?: string) =>
    apiClient(service.url, key)('/qrcodes', { headers: { 'X-Forwarded-For': address } });
  const remaining = async (address: string) =>
    Number((await from(address)).headers.get('x-ratelimit-remaining'));

  async function spend(address: string): Promise<void> {
    for (let left = 59; left >= 0; left -= 1) {
      const { status, headers } = await from(address);
      expect(status).to.equal(401);
      expect(headers.get('x-ratelimit-remaining')).to.equal(String(left));
    }
  }

  it('get 401 sixty times per hour from one address, then 429 (decisions: Limits)', async () => {
    await spend('192.0.2.1');
    const { status, headers, body } = await from('192.0.2.1');
    expect(status).to.equal(429);
    expect(body.error).to.equal('rate_limited');
    expect(headers.get('x-ratelimit-limit')).to.equal('60');
    expect(Number(headers.get('retry-after'))).to.be.within(3_500, 3_601);
    expect((await from('192.0.2.2')).status).to.equal(401);
  });

  it('do not affect a valid key from the same address (decisions: Limits)', async () => {
    const key = await service.makeKey();
    await spend('192.0.2.3');
    expect((await from('192.0.2.3')).status).to.equal(429);
    const { status, headers } = await from('192.0.2.3', key);
    expect(status).to.equal(200);
    expect(headers.get('x-ratelimit-limit')).to.equal('100');
    expect(headers.get('x-ratelimit-remaining')).to.equal('99');
  });

  it('do not include requests with a valid key from that address (decisions: Limits)', async () => {
    const key = await service.makeKey({ plan: 'free' });
    for (let time = 0; time < 25; time += 1) await from('192.0.2.4', key);
    expect(await remaining('192.0.2.4')).to.equal(59);
  });

  it('are not counted when they are rejected, and the window slides (decisions: Limits)', async () => {
    await spend('192.0.2.5');
    const [{ subject }] = (await service.db('request_windows').select('subject')) as [{ subject: string }];
    await ageRequests(service.db, subject, { bySeconds: 3_600, oldest: 3 });
    const statuses: number[] = [];
    for (let time = 0; time < 4; time += 1) statuses.push((await from('192.0.2.5')).status);
    expect(statuses).to.deep.equal([401, 401, 401, 429]);
  });

  it('can still read openapi.json from an address over the limit (decisions: Limits)', async () => {
    await spend('192.0.2.6');
    const { status, headers } = await fetch(`${service.url}/api/v1/openapi.json`, {
      headers: { 'X-Forwarded-For': '192.0.2.6' },
    });
    expect(status).to.equal(200);
    expect(headers.get('x-ratelimit-remaining')).to.equal('60');
  });

  it('share one window within a /64 of IPv6, however the address is written (decisions: Limits)', async () => {
    const one = [
      '2001:db8:1:2::1',
      '2001:db8:1:2:ffff:ffff:ffff:ffff',
      '2001:0DB8:0001:0002::7',
      '[2001:db8:1:2::1]:443',
    ];
    for (const [index, address] of one.entries())
      expect(await remaining(address), address).to.equal(59 - index);
    for (const other of ['2001:db8:1:3::1', '2001:db8:2:2::1', '2001:db8::1']) {
      expect(await remaining(other), other).to.equal(59);
    }
    expect(await remaining('2001:db8::9:0:0:0')).to.equal(58);
  });

  it('share one window between an IPv4 address and its IPv4-mapped IPv6 address (decisions: Limits)', async () => {
    expect(await remaining('192.0.2.7')).to.equal(59);
    expect(await remaining('::ffff:192.0.2.7')).to.equal(58);
    expect(await remaining('::ffff:192.0.2.8')).to.equal(59);
  });

  it('cannot choose their address: only the trusted proxy sets it (decisions: The share address)', async () => {
    expect(await remaining('198.51.100.1, 192.0.2.9')).to.equal(59);
    expect(await remaining('198.51.100.2, 192.0.2.9')).to.equal(58);
  });

  it('store their address readably in no column of any table, and neither do scans (decisions: The share address)', async () => {
    const addresses = ['203.0.113.177', '2001:db8:abcd:ef01:2345:6789:abcd:ef01'];
    const api = apiClient(service.url, await service.makeKey());
    const { body } = await api('/qrcodes', {
      method: 'POST',
      body: { name: 'Menu', content: 'https://example.com/' },
    });
    for (const address of addresses) {
      await from(address);
      const headers = {
        'X-Forwarded-For': address,
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Needle/1.0',
      };
      const scan = await fetch(`${service.url}/r/${body.shareToken}`, { headers, redirect: 'manual' });
      expect(scan.status).to.equal(302);
    }
    // Without a worker the scans stay in the queue, where the search finds them.
    await eventually(async () => {
      const tables = await tablesHolding(service.db, 'Mozilla/5.0 (X11; Linux x86_64) Needle/1.0');
      expect(
        tables.some((name) => name.startsWith('bullmq.')),
        tables.join(),
      ).to.equal(true);
    });
    expect(await service.db('request_windows').whereLike('subject', 'address:%')).to.have.length(2);
    for (const address of addresses) {
      expect(await tablesHolding(service.db, address), address).to.deep.equal([]);
      for (const encoding of ['hex', 'base64url'] as const) {
        // Without a secret, all IPv4 addresses could be hashed within minutes.
        const plainHash = createHash('sha256').update(address).digest(encoding);
        expect(await tablesHolding(service.db, plainHash), `hash of ${address}`).to.deep.equal([]);
      }
    }
    expect(await tablesHolding(service.db, '2001:db8:abcd:ef01')).to.deep.equal([]);
  });

  it('are purged an hour after the last request of their address, and so are those of keys (decisions: Limits)', async () => {
    const key = await subjectOf(service.db, await service.makeKey());
    const row = (subject: string, ago: string) => ({
      subject,
      recent: service.db.raw(`ARRAY[now() - interval '${ago}']`),
      admitted: true,
      checked_at: service.db.raw(`now() - interval '${ago}'`),
    });
    await service
      .db('request_windows')
      .insert([
        row('address:silent', '61 minutes'),
        row('address:long-silent', '40 days'),
        row('address:recent', '59 minutes'),
        row(key, '61 minutes'),
        row('key:gone', '61 minutes'),
        row('key:gone-just-now', '1 minute'),
      ]);
    expect(await purgeOldWindows(service.db)).to.equal(4);
    const left: { subject: string }[] = await service.db('request_windows').orderBy('subject');
    expect(left.map(({ subject }) => subject)).to.have.members(['address:recent', 'key:gone-just-now']);
    expect(await purgeOldWindows(service.db)).to.equal(0);
  });
});
