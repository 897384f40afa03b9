import { expect } from 'chai';
import { apiClient, type ApiClient } from '../support/api-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';

describe('A code that leads to a share link of our own', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey());
  });
  after(() => service.stop());

  for (const spelling of ['https://qr.test/r/', 'http://QR.test.:8080/%72/']) {
    it(`is a page with a link where it is stored already, and no redirect: ${spelling}`, async () => {
      const { id, shareToken } = await createCode(api, { type: 'social', content: 'https://example.com/' });
      const content = spelling + shareToken;
      await service.db('qr_codes').where({ id }).update({ content });
      const answer = await openShare(service.url, shareToken);
      expect(answer.status).to.equal(200);
      expect(await answer.text()).to.contain(`href="${new URL(content).href}"`);
    });
  }
});
