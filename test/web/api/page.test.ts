import { expect } from 'chai';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { signedIn } from '../../support/form-client.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode, openShare } from '../../support/share.ts';

const none = { title: null, text: null, color: null, showsName: true };
const look = { title: 'Café Linden', text: 'Open daily', color: '#7A1F3D', showsName: true };

describe('GET and PATCH /api/v1/qrcodes/:id/page', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  const patch = (id: string, body: object) => api(`/qrcodes/${id}/page`, { method: 'PATCH', body });
  const shown = async (token: string) => {
    const answer = await openShare(service.url, token);
    return { page: await answer.text(), policy: answer.headers.get('Content-Security-Policy') ?? '' };
  };

  it('change what scanners see, and nothing of the code itself', async () => {
    const code = await createCode(api, { type: 'text', content: 'Hi', name: 'Table 4, internal' });
    const { body: before } = await api(`/qrcodes/${code.id}`);
    expect((await api(`/qrcodes/${code.id}/page`)).body).to.deep.equal(none);
    expect((await shown(code.shareToken)).page).to.contain('<h1 dir="auto">Table 4, internal</h1>');
    expect((await patch(code.id, { ...look, title: ` ${look.title} ` })).body).to.deep.equal(look);
    const { page, policy } = await shown(code.shareToken);
    expect(page).to.contain('<h1 dir="auto">Café Linden</h1>\n<p dir="auto">Open daily</p>');
    expect(page).to.contain('<title>Café Linden</title>').and.contain('--accent:#7a1f3d');
    expect(page).not.to.contain('internal');
    expect(policy).to.match(/style-src 'sha256-[^']+' 'sha256-[^']+';/);
    const { body: after } = await api(`/qrcodes/${code.id}`);
    expect({ ...(after as object), updatedAt: '' }).to.deep.equal({ ...(before as object), updatedAt: '' });
    expect((await patch(code.id, { title: null })).body).to.deep.equal({ ...look, title: null });
    expect((await shown(code.shareToken)).page).to.contain('Table 4, internal');
    expect((await patch(code.id, { showsName: false })).body).to.include({ title: null, showsName: false });
    expect((await shown(code.shareToken)).page).not.to.contain('internal');
  });

  it('keep the name of a contact below the title', async () => {
    const content = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Doe\r\nEND:VCARD\r\n';
    const code = await createCode(api, { type: 'vcard', content });
    await patch(code.id, { title: 'Your host' });
    expect((await shown(code.shareToken)).page).to.match(
      /<h1 dir="auto">Your host<\/h1>\s*<p[^>]*>Ann Doe<\/p>/,
    );
  });

  it('reject what is no label or color, and show markup as text', async () => {
    const code = await createCode(api, { type: 'text', content: 'Hi' });
    for (const title of ['', ' ', 5, 'a\0', 'a\nb', '\u202eevil', 'x'.repeat(101)])
      expectInvalid(await patch(code.id, { title }), ['title']);
    for (const text of ['', 'a\nb', 'x'.repeat(201)]) expectInvalid(await patch(code.id, { text }), ['text']);
    for (const color of ['', 'red', '#fff', '#12345g', '#123456;}body{display:none', '</style>', '#1234567'])
      expectInvalid(await patch(code.id, { color }), ['color']);
    expectInvalid(await patch(code.id, { logo: 'x' }), ['logo']);
    const title = '</title><script>alert(1)</script>';
    expect((await patch(code.id, { title, text: title })).status).to.equal(200);
    expect((await shown(code.shareToken)).page).not.to.contain('<script>alert');
  });

  it('are the same in the form, where a copy keeps them', async () => {
    const email = 'look@example.com';
    const client = await signedIn(service, email);
    const fields = {
      type: 'text',
      content: 'Hi',
      name: 'Inside',
      size: '512',
      errorCorrection: 'M',
      foregroundColor: '#000000',
      backgroundColor: '#ffffff',
      pageTitle: ' Welcome ',
      pageText: 'Hello',
      pageColor: '#7a1f3d',
    };
    const row = async (path: string) =>
      service
        .db('qr_codes')
        .where({ id: path.split('/')[2] })
        .first('page_title', 'page_text', 'page_color');
    const created = async (more: object) => {
      await client.get('/codes/new');
      const answer = await client.post('/codes/new', { ...fields, ...more });
      return answer.headers.get('Location') ?? answer.text();
    };
    const stored = { page_title: 'Welcome', page_text: 'Hello', page_color: '#7a1f3d' };
    const path = await created({ hasPageColor: 'on' });
    expect(await row(path)).to.deep.equal(stored);
    expect(await row(await created({}))).to.deep.equal({ ...stored, page_color: null });
    expect(await created({ pageTitle: 'a\u202eb' })).to.contain('id="field-pageTitle-error"');
    const copy = await client.post(`${path}/duplicate`, {});
    expect(await row(copy.headers.get('Location') ?? '')).to.deep.equal(stored);
    await client.get(`${path}/edit`);
    await client.post(`${path}/edit`, { ...fields, pageTitle: '', hasPageColor: 'on', pageColor: '#000000' });
    expect(await row(path)).to.deep.equal({ page_title: null, page_text: 'Hello', page_color: '#000000' });
  });
});
