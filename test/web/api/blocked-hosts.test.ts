import { expect } from 'chai';
import { addBlock, removeBlock } from '../../../src/codes/blocks.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode } from '../../support/share.ts';

const message =
  'must not link to a blocked host: evil.example; contact abuse@example.com if this is a mistake';

describe('A host that the operator blocked, in the API', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService({ config: { abuseContact: 'abuse@example.com' } });
    api = apiClient(service.url, await service.makeKey());
    await block('evil.example');
  });
  after(() => service.stop());

  const block = (value: string) =>
    addBlock(service.db, { kind: 'host', value, reason: null, createdAt: new Date() });
  const create = (fields: object) =>
    api('/qrcodes', {
      method: 'POST',
      body: { name: 'Test', content: 'https://www.evil.example/', ...fields },
    });

  it('is rejected in a new code, with a validation error that names the contact', async () => {
    for (const fields of [
      {},
      { content: 'https://EVIL.example.:8080/' },
      { type: 'social', content: 'https://good.example/ https://evil.example/' },
      { type: 'vcard', content: 'BEGIN:VCARD\nFN:Ada\nURL:evil.example\nEND:VCARD' },
      { type: 'text', content: 'https://evil.example/' },
    ]) {
      const { status, body } = await create(fields);
      expect(status, JSON.stringify(fields)).to.equal(400);
      expect(body.error).to.equal('validation_error');
      expect(body.details).to.deep.equal([{ field: 'content', message }]);
    }
    expect(await service.db('qr_codes')).to.have.length(0);
  });

  it('is reported together with the other errors of the body', async () => {
    const { body } = await create({ size: 1 });
    expect(body.details.map(({ field }: { field: string }) => field)).to.have.members(['size', 'content']);
  });

  it('is rejected in a change of the content, which is not changed', async () => {
    const { id, content } = await createCode(api);
    const { status, body } = await api(`/qrcodes/${id}`, {
      method: 'PATCH',
      body: { content: 'https://evil.example/' },
    });
    expect(status).to.equal(400);
    expect(body.details).to.deep.equal([{ field: 'content', message }]);
    expect((await api(`/qrcodes/${id}`)).body.content).to.equal(content);
  });

  it('does not keep an existing code from being read and changed, except its content', async () => {
    const { id } = await createCode(api, { content: 'https://later.example/' });
    await block('later.example');
    const { status, body } = await api(`/qrcodes/${id}`, {
      method: 'PATCH',
      body: { name: 'Renamed', errorCorrection: 'H', isFavorite: true },
    });
    expect(status).to.equal(200);
    expect(body).to.include({ name: 'Renamed', content: 'https://later.example/' });
    expect((await api(`/qrcodes/${id}`)).body).to.deep.equal(body);
    const elsewhere = { content: 'https://fine.example/' };
    expect((await api(`/qrcodes/${id}`, { method: 'PATCH', body: elsewhere })).status).to.equal(200);
  });

  it('is accepted as soon as it is unblocked', async () => {
    await block('for-a-while.example');
    expect((await create({ content: 'https://for-a-while.example/' })).status).to.equal(400);
    await removeBlock(service.db, 'host', 'for-a-while.example');
    expect((await create({ content: 'https://for-a-while.example/' })).status).to.equal(201);
  });
});
