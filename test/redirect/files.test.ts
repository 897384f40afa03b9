import { expect } from 'chai';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';

const card = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Zoë "Z" Ödman\r\nTEL:+15551234\r\nEND:VCARD';

describe('Pictures and contact files at the share link (decisions)', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService({ worker: true });
    api = apiClient(service.url, await service.makeKey());
  });
  after(() => service.stop());

  for (const [ending, type, beginning] of [
    ['svg', 'image/svg+xml; charset=utf-8', '<svg '],
    ['png', 'image/png', '\u0089PNG'],
  ] as const) {
    it(`serves .${ending}, for five minutes, with an ETag that gets a 304`, async () => {
      const { shareToken } = await createCode(api);
      const answer = await openShare(service.url, `${shareToken}.${ending}`);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal(type);
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=300');
      expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).to.match(
        new RegExp(`^${beginning}`),
      );
      const etag = answer.headers.get('etag') ?? '';
      const again = await openShare(service.url, `${shareToken}.${ending}`, {
        headers: { 'If-None-Match': etag },
      });
      expect(again.status).to.equal(304);
    });
  }

  it('has another ETag after an edit of the colours, and of the content where that is encoded', async () => {
    const { id, shareToken } = await createCode(api);
    const etagOf = async (path: string) => (await openShare(service.url, path)).headers.get('etag');
    const before = [await etagOf(`${shareToken}.svg`), await etagOf(`${shareToken}.svg?encode=content`)];
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { content: 'https://example.com/other' } });
    expect(await etagOf(`${shareToken}.svg`)).to.equal(before[0]);
    expect(await etagOf(`${shareToken}.svg?encode=content`)).not.to.equal(before[1]);
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { foregroundColor: '#003366' } });
    expect(await etagOf(`${shareToken}.svg`)).not.to.equal(before[0]);
  });

  it('is not there for a code that is private, expired, unknown or asked for by another ending', async () => {
    const { id, shareToken } = await createCode(api);
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { isPublic: false } });
    expect((await openShare(service.url, `${shareToken}.png`)).status).to.equal(404);
    const past = { isPublic: true, expiresAt: '2020-01-01T00:00:00Z' };
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: past });
    expect((await openShare(service.url, `${shareToken}.png`)).status).to.equal(410);
    expect((await openShare(service.url, '0123456789.png')).status).to.equal(404);
    for (const ending of ['gif', 'SVG', 'svg.png', 'pn', '']) {
      expect((await openShare(service.url, `${shareToken}.${ending}`)).status, ending).to.equal(404);
    }
  });

  it('saves an event as text/calendar, and only a public one that has not expired', async () => {
    const content =
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Party\r\nDTSTART:20990101T180000Z\r\nEND:VEVENT\r\nEND:VCALENDAR';
    const { id, shareToken } = await createCode(api, { type: 'event', content });
    const statusOf = async (ending: string) =>
      (await openShare(service.url, `${shareToken}${ending}`)).status;
    const answer = await openShare(service.url, `${shareToken}.ics`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/calendar; charset=utf-8');
    expect(answer.headers.get('content-disposition')).to.equal('attachment; filename="Party.ics"');
    for (const ending of ['.ICS', '.ics;x', '.%69cs', '.vcf', '.ics.ics'])
      expect(await statusOf(ending), ending).to.equal(404);
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { isPublic: false } });
    expect(await statusOf('.ics')).to.equal(404);
    await api(`/qrcodes/${id}`, {
      method: 'PATCH',
      body: { isPublic: true, expiresAt: '2020-01-01T00:00:00Z' },
    });
    expect(await statusOf('.ics')).to.equal(410);
    const link = await createCode(api);
    expect((await openShare(service.url, `${link.shareToken}.ics`)).status).to.equal(404);
  });

  it('saves a contact as text/vcard, under its name in any script', async () => {
    const { shareToken } = await createCode(api, { type: 'vcard', content: card });
    const answer = await openShare(service.url, `${shareToken}.vcf`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/vcard; charset=utf-8');
    expect(answer.headers.get('content-disposition')).to.equal(
      `attachment; filename="Zo_ _Z_ _dman.vcf"; filename*=UTF-8''Zo%C3%AB%20%22Z%22%20%C3%96dman.vcf`,
    );
    // A cache or a search engine must not keep somebody's telephone number, nor a browser show it as a page of ours.
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.headers.get('x-robots-tag')).to.equal('noindex');
    expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
    const body = await answer.text();
    expect(body)
      .to.contain('TEL:+15551234')
      .and.to.match(/END:VCARD\r\n$/);
    expect(answer.headers.get('content-length')).to.equal(String(Buffer.byteLength(body)));
  });

  it('has no .vcf for a code that is no contact', async () => {
    const { shareToken } = await createCode(api);
    expect((await openShare(service.url, `${shareToken}.vcf`)).status).to.equal(404);
  });

  it('counts the page once, and neither pictures, contact files nor error pages', async () => {
    const { id, shareToken } = await createCode(api, { type: 'vcard', content: card });
    for (const ending of ['.svg', '.png', '.svg?encode=content', '.vcf', '.gif', '//'])
      await openShare(service.url, shareToken + ending);
    await openShare(service.url, shareToken);
    const countOf = async () => (await api(`/qrcodes/${id}`)).body['scanCount'];
    await eventually(async () => expect(await countOf()).to.equal(1));
    const other = await createCode(api);
    await openShare(service.url, other.shareToken);
    // Scans are recorded in their order: what came before the last one has been counted by now.
    await eventually(async () => expect((await api(`/qrcodes/${other.id}`)).body['scanCount']).to.equal(1));
    expect(await countOf()).to.equal(1);
  });
});
