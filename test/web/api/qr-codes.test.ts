import { expect } from 'chai';
import { apiClient, type ApiClient } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('POST /api/v1/qrcodes (4.1)', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey());
  });
  after(() => service.stop());

  it('answers 201 with the create shape and the defaults of 4.1', async () => {
    const { status, body } = await api('/qrcodes', {
      method: 'POST',
      body: { name: 'Menu', content: 'https://example.com/' },
    });
    expect(status).to.equal(201);
    expect(body).to.include({
      type: 'url',
      foregroundColor: '#1a1410',
      backgroundColor: '#ffffff',
      errorCorrection: 'M',
      size: 512,
      category: null,
    });
  });
});
