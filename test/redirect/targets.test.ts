import { expect } from 'chai';
import { createTargets } from '../../src/redirect/targets.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode } from '../support/share.ts';

describe('Looking up a share token', () => {
  let service: TestService;
  let api: ApiClient;
  let queries = 0;

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey());
    service.db.on('query', () => {
      queries += 1;
    });
  });
  beforeEach(() => {
    queries = 0;
  });
  after(() => service.stop());

  it('makes one query for 500 simultaneous requests of a token that is not remembered', async () => {
    const { id, shareToken } = await createCode(api);
    const targets = createTargets(service.db, 'https://qr.test');
    const found = await Promise.all(Array.from({ length: 500 }, async () => targets.find(shareToken)));
    expect(found.every((target) => target?.codeId === id)).to.equal(true);
    expect(queries).to.equal(1);
  });

  it('makes none for a token that is remembered, and answers at once', async () => {
    const { id, shareToken } = await createCode(api);
    const targets = createTargets(service.db, 'https://qr.test');
    await targets.find(shareToken);
    queries = 0;
    expect(targets.find(shareToken)).to.include({ codeId: id });
    expect(queries).to.equal(0);
  });

  it('remembers for a moment that a token is unknown', async () => {
    const targets = createTargets(service.db, 'https://qr.test');
    expect(await targets.find('0000000000')).to.equal(null);
    expect(targets.find('0000000000')).to.equal(null);
    expect(queries).to.equal(1);
  });
});
