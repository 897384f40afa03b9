import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { claimEndpoints, type Pace } from '../../src/webhooks/claim-endpoints.ts';
import { createPing } from '../../src/webhooks/deliveries.ts';
import { changeEndpoint, createEndpoint, Endpoint } from '../../src/webhooks/endpoints.ts';
import { type Call, releaseEndpoint } from '../../src/webhooks/record-attempt.ts';
import { createSecretBox } from '../../src/webhooks/signing.ts';
import { startService, type TestService } from '../support/service.ts';

describe('Turns of webhook endpoints', () => {
  let service: TestService;
  let userId: string;
  const box = createSecretBox([Buffer.alloc(32, 1)]);

  before(async () => {
    service = await startService();
    ({ id: userId } = await findOrCreateUser(service.db, 'turns@example.com', new Date()));
  });
  beforeEach(() => service.db('webhook_endpoints').delete());
  after(() => service.stop());

  /** An endpoint that has something to be sent. */
  async function makeEndpoint(url: string): Promise<string> {
    const input = { url, name: 'Test', events: ['code.created' as const], codeIds: null, categories: null };
    const quota = { box, quota: 1_000, now: new Date() };
    const { endpoint } = await createEndpoint(service.db, userId, input, quota);
    await createPing(service.db, endpoint);
    return endpoint.id;
  }
  const claim = (pace: Pace, limit = 100) => claimEndpoints(service.db, { pace, limit, leaseMs: 60_000 });
  const release = (endpoint: Endpoint, ...calls: Call[]) =>
    releaseEndpoint(service.db, endpoint, { calls, scansAt: undefined }, new Date());
  const quick: Call = { outcome: 'delivered', durationMs: 100 };
  const slow: Call = { outcome: 'delivered', durationMs: 9_000 };

  /** All are called once, and answer at once. */
  async function prove(): Promise<void> {
    for (let claimed = await claim('slow'); claimed.length > 0; claimed = await claim('slow'))
      for (const endpoint of claimed) await release(endpoint, quick);
  }

  it('are in the order of waiting, so that endpoints that are always due do not keep others out', async () => {
    const ids = [];
    for (let n = 0; n < 6; n += 1) ids.push(await makeEndpoint(`https://host-${n}.example.com/`));
    await prove();
    const served: string[] = [];
    for (let round = 0; round < 3; round += 1)
      for (const endpoint of await claim('fast', 2)) {
        served.push(endpoint.id);
        await release(endpoint, quick);
      }
    expect(served).to.have.members(ids);
  });

  it('are given to 16 endpoints of a host at most, by all workers together, and to 12 that are slow', async () => {
    for (let n = 0; n < 20; n += 1)
      await makeEndpoint(`https://${n % 2 ? 'Victim' : 'victim'}.example.com:8443/${n}`);
    const other = await makeEndpoint('https://other.example.com/');
    const claimed = await claim('slow');
    expect(claimed).to.have.length(13);
    expect(claimed.map(({ id }) => id)).to.include(other);
    expect(await claim('slow')).to.deep.equal([]);
    for (const endpoint of claimed) await release(endpoint, quick);
    await prove();
    const [some, rest] = [await claim('fast', 10), await claim('fast')];
    expect([some.length, rest.length]).to.deep.equal([10, 7]);
    for (const endpoint of some) await release(endpoint, quick);
    expect(await claim('fast')).to.have.length(10);
  });

  it('of endpoints that answer slowly, fail or are new do not take the places of others', async () => {
    const id = await makeEndpoint('https://slow.example.com/');
    const paceOf = async () => {
      const row = await Endpoint.query(service.db).findById(id).throwIfNotFound();
      return row.failures === 0 && !row.isSlow ? 'fast' : 'slow';
    };
    expect(await paceOf()).to.equal('slow');
    await prove();
    expect(await paceOf()).to.equal('fast');
    const [fast] = await claim('fast');
    await release(fast!, quick, slow);
    expect(await paceOf()).to.equal('slow');
    expect(await claim('fast')).to.deep.equal([]);
    await prove();
    const [again] = await claim('fast');
    await release(again!, { outcome: 'failed', durationMs: 10 });
    expect(await paceOf()).to.equal('slow');
    await service.db('webhook_endpoints').update({ retry_at: new Date(0) });
    await prove();
    expect(await paceOf()).to.equal('fast');
    await changeEndpoint(service.db, userId, id, { url: 'https://elsewhere.example.com/' }, new Date());
    expect(await paceOf()).to.equal('slow');
  });
});
