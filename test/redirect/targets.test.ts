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

  const newTargets = () => createTargets(service.db, 'https://qr.test');

  it('costs the database no more for 500 simultaneous requests than for one', async () => {
    const { id, shareToken } = await createCode(api);
    queries = 0;
    await newTargets().find(shareToken);
    const forOne = queries;
    queries = 0;
    const targets = newTargets();
    const found = await Promise.all(Array.from({ length: 500 }, async () => targets.find(shareToken)));
    expect(found.every((target) => target?.codeId === id)).to.equal(true);
    expect(queries).to.equal(forOne);
  });

  it('is synchronous and costs the database nothing when the token is cached', async () => {
    const { id, shareToken } = await createCode(api);
    const targets = newTargets();
    await targets.find(shareToken);
    queries = 0;
    expect(targets.find(shareToken)).to.include({ codeId: id });
    expect(queries).to.equal(0);
  });

  it('caches that a token is unknown', async () => {
    const targets = newTargets();
    expect(await targets.find('0000000000')).to.equal(null);
    queries = 0;
    expect(targets.find('0000000000')).to.equal(null);
    expect(queries).to.equal(0);
  });
});
