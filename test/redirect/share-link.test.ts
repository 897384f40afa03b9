import { expect } from 'chai';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';

describe('The share link /r/<token> (decisions)', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey());
  });
  after(() => service.stop());

  it('responds with 302 to the content of a url, not to be stored by any cache', async () => {
    const { shareToken } = await createCode(api);
    const answer = await openShare(service.url, shareToken);
    expect(answer.status).to.equal(302);
    expect(answer.headers.get('location')).to.equal('https://example.com/target');
    expect(answer.headers.get('cache-control')).to.equal('no-store');
  });

  it('responds to HEAD as to GET', async () => {
    const { shareToken } = await createCode(api);
    const answer = await openShare(service.url, shareToken, { method: 'HEAD' });
    expect(answer.status).to.equal(302);
    expect(answer.headers.get('location')).to.equal('https://example.com/target');
  });

  it('shows a change and a deletion at once in the process that made it', async () => {
    const { id, shareToken } = await createCode(api);
    expect((await openShare(service.url, shareToken)).status).to.equal(302);
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { content: 'https://example.com/changed' } });
    expect((await openShare(service.url, shareToken)).headers.get('location')).to.equal(
      'https://example.com/changed',
    );
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { expiresAt: '2020-01-01T00:00:00Z' } });
    expect((await openShare(service.url, shareToken)).status).to.equal(410);
    await api(`/qrcodes/${id}`, { method: 'DELETE' });
    expect((await openShare(service.url, shareToken)).status).to.equal(404);
  });

  it('ignores a slash behind the token', async () => {
    const { shareToken } = await createCode(api);
    expect((await openShare(service.url, `${shareToken}/`)).status).to.equal(302);
    expect((await openShare(service.url, `${shareToken}/?a=b`)).status).to.equal(302);
    expect((await openShare(service.url, `${shareToken}//`)).status).to.equal(404);
  });

  it('ignores a query string behind the token', async () => {
    const { shareToken } = await createCode(api);
    expect((await openShare(service.url, `${shareToken}?utm_source=poster`)).status).to.equal(302);
  });

  it('sends a Location that a header can hold, whatever the URL was written with', async () => {
    const { shareToken } = await createCode(api, { content: 'https://example.com/Straße?q=ä b#ü' });
    const { headers } = await openShare(service.url, shareToken);
    expect(headers.get('location')).to.equal('https://example.com/Stra%C3%9Fe?q=%C3%A4%20b#%C3%BC');
  });

  it('responds with 302 for social and whatsapp where the content is a URL or a phone number', async () => {
    const social = await createCode(api, { type: 'social', content: 'https://social.example/@me' });
    expect((await openShare(service.url, social.shareToken)).headers.get('location')).to.equal(
      'https://social.example/@me',
    );
    const whatsapp = await createCode(api, { type: 'whatsapp', content: '+44 (20) 7946-0958' });
    expect((await openShare(service.url, whatsapp.shareToken)).headers.get('location')).to.equal(
      'https://wa.me/442079460958',
    );
  });

  it('never puts javascript: into a Location', async () => {
    const { shareToken } = await createCode(api, { type: 'social', content: 'javascript:alert(1)' });
    const answer = await openShare(service.url, shareToken);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('location')).to.equal(null);
  });

  it('shows text escaped, on a page that is not to be indexed', async () => {
    const { shareToken } = await createCode(api, { type: 'text', content: '<script>alert("1")</script>' });
    const answer = await openShare(service.url, shareToken);
    const page = await answer.text();
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page)
      .to.contain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;')
      .and.not.contain('<script>alert');
    expect(page).to.contain('<meta name="robots" content="noindex">');
  });

  for (const token of [
    '0123456789',
    'short',
    'with space',
    '..%2f..%2f',
    'AAAAAAAAAAA',
    '%00',
    '',
    'abcdefghij/',
  ]) {
    it(`responds with 404 and a page for the unknown token "${token}"`, async () => {
      const answer = await openShare(service.url, token);
      expect(answer.status).to.equal(404);
      expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).to.equal('no-store');
    });
  }

  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    it(`responds with 405 to ${method}`, async () => {
      const { shareToken } = await createCode(api);
      const answer = await openShare(service.url, shareToken, { method });
      expect(answer.status).to.equal(405);
      expect(answer.headers.get('allow')).to.equal('GET, HEAD');
    });
  }

  it('responds with 404 for a code that is not public', async () => {
    const { id, shareToken } = await createCode(api);
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { isPublic: false } });
    expect((await openShare(service.url, shareToken)).status).to.equal(404);
  });

  it('responds with 410 for a code whose expiresAt has passed', async () => {
    const { id, shareToken } = await createCode(api);
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { expiresAt: '2020-01-01T00:00:00Z' } });
    expect((await openShare(service.url, shareToken)).status).to.equal(410);
  });
});
