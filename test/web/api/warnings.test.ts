import { expect } from 'chai';
import type { ApiClient } from '../../support/api-client.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const minimal = { name: 'Menu', content: 'https://example.com/menu' };
const similar = { foregroundColor: '#777777', backgroundColor: '#888888' };
const long = `https://example.com/${'x'.repeat(900)}`;

describe('The header Qrelay-Warning', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  const create = (body: object) => api('/qrcodes', { method: 'POST', body: { ...minimal, ...body } });
  const change = (id: string, body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });

  it('is not sent where both images of the code can be scanned', async () => {
    const created = await create({});
    expect(created.status).to.equal(201);
    expect(created.headers.has('Qrelay-Warning')).to.equal(false);
    const changed = await change(created.body.id, { size: 2048 });
    expect(changed.status).to.equal(200);
    expect(changed.headers.has('Qrelay-Warning')).to.equal(false);
  });

  it('says on creation what a scanner cannot read, and the code is still created', async () => {
    const { status, headers, body } = await create(similar);
    expect(status).to.equal(201);
    expect(headers.get('Qrelay-Warning')).to.include('#777777 and #888888 are too similar');
    expect((await api(`/qrcodes/${body.id}`)).body).to.include(similar);
  });

  it('is sent once per warning, those for encode=content marked', async () => {
    const { headers } = await create({ ...similar, content: long, size: 128 });
    const warnings = headers.get('Qrelay-Warning')?.split(', ') ?? [];
    expect(warnings).to.have.length(2);
    expect(warnings[0]).to.match(/^The colors /);
    expect(warnings[1]).to.match(/^With encode=content: A picture of 128 pixels/);
  });

  for (const [type, content] of [
    ['wifi', 'MyNetwork'],
    ['whatsapp', '0170 1234567'],
    ['phone', 'Call us'],
    ['geo', 'Pariser Platz 1'],
    ['email', 'Info: info@example.de'],
    ['vcard', 'John Doe'],
    ['social', '@foo'],
    ['sms', 'Hello'],
  ]) {
    it(`says that scanners will see "${content}" as text, not as ${type}, and what to write`, async () => {
      const { status, headers } = await create({ type, content });
      expect(status).to.equal(201);
      expect(headers.get('Qrelay-Warning')).to.match(
        new RegExp(`^The content cannot be read as ${type}: scanners will see it as plain text\\. Write `),
      );
    });
  }

  it('is sent after a change, for the changed code', async () => {
    const { body } = await create({});
    expect((await change(body.id, similar)).headers.get('Qrelay-Warning')).to.include('too similar');
    expect((await change(body.id, { name: 'Other' })).headers.get('Qrelay-Warning')).to.include(
      'too similar',
    );
    const fixed = await change(body.id, { foregroundColor: '#000000' });
    expect(fixed.headers.has('Qrelay-Warning')).to.equal(false);
  });

  it('is not sent with an error, nor where a code is read', async () => {
    const { body } = await create(similar);
    expect((await api(`/qrcodes/${body.id}`)).headers.has('Qrelay-Warning')).to.equal(false);
    const refused = await create({ ...similar, size: 1 });
    expect(refused.status).to.equal(400);
    expect(refused.headers.has('Qrelay-Warning')).to.equal(false);
  });
});
