import { expect } from 'chai';
import { addBlock, removeBlock } from '../../src/codes/blocks.ts';
import { loadConfig } from '../../src/config.ts';
import { createTargets } from '../../src/redirect/targets.ts';
import { openWebService } from '../../src/web-service.ts';
import type { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { ownerClient } from '../support/owner-client.ts';
import { openQueueLazily } from '../support/lazy-queue.ts';
import { sharedImages } from '../support/shared-threads.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';

const card = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nURL:https://cards.evil-card.example/ada\r\nEND:VCARD';
const takenDown = 'This code was taken down';
const expired = 'This code has expired';

describe('A blocked code at its share link', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService({ worker: true, config: { abuseContact: 'abuse@example.com' } });
    api = ownerClient(service);
  });
  after(() => service.stop());

  const block = (kind: 'code' | 'host', value: string) =>
    addBlock(service.db, { kind, value, reason: null, createdAt: new Date() });
  const statusOf = async (path: string) => (await openShare(service.url, path)).status;
  const linkTo = (host: string) => createCode(api, { content: `https://${host}/` });

  it('responds with 410 and a page of its own, which no cache keeps, for the code, its pictures and its contact file', async () => {
    const { id, shareToken } = await createCode(api, { type: 'vcard', content: card });
    await block('code', id);
    for (const ending of ['', '/', '.svg', '.png', '.svg?encode=content', '.vcf']) {
      const answer = await openShare(service.url, shareToken + ending);
      expect(answer.status, ending).to.equal(410);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      expect(answer.headers.get('location')).to.equal(null);
      expect(await answer.text())
        .to.contain(takenDown)
        .and.not.contain('Ada');
    }
    expect((await openShare(service.url, shareToken, { method: 'HEAD' })).status).to.equal(410);
  });

  it('has a title in the language of the reader, different from that of an expired code', async () => {
    const { id, shareToken } = await createCode(api);
    await block('code', id);
    const titles = await Promise.all(
      ['en', 'de', 'fr', 'es', 'pt', 'zh'].map(async (language) => {
        const answer = await openShare(service.url, shareToken, { headers: { 'Accept-Language': language } });
        return /<h1[^>]*>([^<]*)</.exec(await answer.text())?.[1];
      }),
    );
    expect(titles).to.deep.equal([
      takenDown,
      'Dieser Code wurde gesperrt',
      'Ce code a été retiré',
      'Este código ha sido retirado',
      'Este código foi retirado do ar',
      '此二维码已被封禁',
    ]);
  });

  it('covers a host and its subdomains, and no host that only ends the same', async () => {
    const hosts = [
      'evil.example',
      'www.evil.example',
      'a.b.evil.example',
      'EVIL.example.',
      'evil.example:8443',
    ];
    const blocked = await Promise.all(hosts.map(linkTo));
    const others = await Promise.all(['notevil.example', 'evil.example.org', 'example'].map(linkTo));
    await block('host', 'evil.example');
    for (const { shareToken, content } of blocked) {
      expect(await statusOf(shareToken), content).to.equal(410);
    }
    for (const { shareToken, content } of others) {
      expect(await statusOf(shareToken), content).to.equal(302);
    }
  });

  it('covers other spellings of a host: in Unicode, or as another form of an IP address', async () => {
    const codes = await Promise.all(['schädlich.example', '0xc0.0.2.77', '[2001:DB8::77]'].map(linkTo));
    const other = await linkTo('192.0.2.78');
    await block('host', 'xn--schdlich-2za.example');
    await block('host', '192.0.2.77');
    await block('host', '[2001:db8::77]');
    for (const { shareToken, content } of codes) expect(await statusOf(shareToken), content).to.equal(410);
    expect(await statusOf(other.shareToken)).to.equal(302);
  });

  it('covers every link that a page offers', async () => {
    const social = 'Us: https://good.example/a https://evil-social.example/b';
    const codes = await Promise.all([
      createCode(api, { type: 'vcard', content: card }),
      createCode(api, { type: 'social', content: social }),
      createCode(api, { type: 'text', content: 'https://evil-text.example/' }),
    ]);
    const mention = await createCode(api, { type: 'text', content: 'Beware of evil-text.example' });
    for (const host of ['evil-card.example', 'evil-social.example', 'evil-text.example']) {
      await block('host', host);
    }
    for (const { shareToken, content } of codes) expect(await statusOf(shareToken), content).to.equal(410);
    expect(await statusOf(mention.shareToken)).to.equal(200);
  });

  it('is a 404 if the code is private, and takes precedence over an expired code', async () => {
    const { id, shareToken } = await createCode(api);
    const change = (body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });
    await change({ expiresAt: '2020-01-01T00:00:00Z' });
    expect(await (await openShare(service.url, shareToken)).text()).to.contain(expired);
    await block('code', id);
    await change({ isPublic: false });
    expect(await statusOf(shareToken)).to.equal(404);
    await change({ isPublic: true });
    const answer = await openShare(service.url, shareToken);
    expect(answer.status).to.equal(410);
    expect(await answer.text())
      .to.contain(takenDown)
      .and.not.contain(expired);
  });

  it('counts no scan of a blocked code', async () => {
    const [blocked, other] = await Promise.all([createCode(api), createCode(api)]);
    await block('code', blocked.id);
    expect(await statusOf(blocked.shareToken)).to.equal(410);
    expect(await statusOf(other.shareToken)).to.equal(302);
    const countOf = async (id: string) => (await api(`/qrcodes/${id}`)).body['scanCount'];
    // Scans are recorded in order: an earlier one would have been counted by now.
    await eventually(async () => expect(await countOf(other.id)).to.equal(1));
    expect(await countOf(blocked.id)).to.equal(0);
  });

  it('is a 404 when the code is deleted, and its block can still be removed', async () => {
    const { id, shareToken } = await createCode(api);
    await block('code', id);
    await api(`/qrcodes/${id}`, { method: 'DELETE' });
    expect(await statusOf(shareToken)).to.equal(404);
    expect(await removeBlock(service.db, 'code', id)).to.equal(true);
  });

  it('costs the database nothing while the code is cached', async () => {
    const { id, shareToken } = await createCode(api);
    await block('code', id);
    let queries = 0;
    const count = () => (queries += 1);
    service.db.on('query', count);
    const targets = createTargets(service.db, 'https://qr.test');
    expect(await targets.find(shareToken)).to.include({ codeId: id, isBlocked: true });
    queries = 0;
    expect(targets.find(shareToken)).to.include({ isBlocked: true });
    expect(queries).to.equal(0);
    service.db.off('query', count);
  });

  it('takes effect within 10 seconds in every process that has the code cached, and is lifted within 10 seconds', async () => {
    const second = await openWebService({
      config: { ...loadConfig({ BASE_URL: 'https://qr.test' }), host: '127.0.0.1', port: 0 },
      databaseUrl: service.databaseUrl,
      log: testLog(),
      nowMs: Date.now,
      elapsedMs: service.elapsedMs,
      images: sharedImages(),
      openQueue: openQueueLazily,
      drainGraceMs: 0,
    });
    try {
      const urls = [service.url, `http://127.0.0.1:${second.port}`];
      const toBlock = [await createCode(api), await linkTo('soon.example')];
      const toFree = [await createCode(api), await linkTo('no-longer.example')];
      await block('code', toFree[0]?.id ?? '');
      await block('host', 'no-longer.example');
      const statuses = (codes: typeof toBlock) =>
        Promise.all(
          urls.flatMap((url) =>
            codes.map(async ({ shareToken }) => (await openShare(url, shareToken)).status),
          ),
        );
      expect(await statuses(toBlock)).to.deep.equal([302, 302, 302, 302]);
      expect(await statuses(toFree)).to.deep.equal([410, 410, 410, 410]);
      await block('code', toBlock[0]?.id ?? '');
      await block('host', 'soon.example');
      await removeBlock(service.db, 'code', toFree[0]?.id ?? '');
      await removeBlock(service.db, 'host', 'no-longer.example');
      // The database is asked for less than a second: see src/redirect/targets.ts.
      service.passTime(9_000);
      expect(await statuses(toBlock)).to.deep.equal([410, 410, 410, 410]);
      expect(await statuses(toFree)).to.deep.equal([302, 302, 302, 302]);
    } finally {
      await second.close();
    }
  });

  describe('with ABUSE_CONTACT set', () => {
    const reportLink = (page: string) =>
      /<footer>.*<a href="([^"]+)"[^>]*>([^<]+)<\/a><\/footer>/.exec(page)?.slice(1);
    const pageOf = async (url: string, token: string) =>
      (await openShare(url, token, { headers: { 'Accept-Language': 'de' } })).text();

    it('links to it from content pages, blocked codes and expired codes, with the share link', async () => {
      const [shown, blocked, over] = await Promise.all([
        createCode(api, { type: 'text', content: 'Hello' }),
        createCode(api),
        createCode(api),
      ]);
      await block('code', blocked.id);
      await api(`/qrcodes/${over.id}`, { method: 'PATCH', body: { expiresAt: '2020-01-01T00:00:00Z' } });
      for (const { shareToken } of [shown, blocked, over]) {
        expect(reportLink(await pageOf(service.url, shareToken))).to.deep.equal([
          `mailto:abuse@example.com?subject=https%3A%2F%2Fqr.test%2Fr%2F${shareToken}`,
          'Missbrauch melden',
        ]);
      }
      expect(reportLink(await pageOf(service.url, '0000000000'))).to.equal(undefined);
    });
  });
});
