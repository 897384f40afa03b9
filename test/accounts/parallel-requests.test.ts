import { expect } from 'chai';
import { apiClient } from '../support/api-client.ts';
import { recordedRequests, subjectOf } from '../support/request-windows.ts';
import { startService, type TestService } from '../support/service.ts';

describe('parallel requests (8)', () => {
  let service: TestService;
  const stops: (() => Promise<void>)[] = [];
  before(async function () {
    this.timeout(120_000);
    service = await startService();
  });
  after(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await service.stop();
  });

  async function expectTwentyOfFifty(urls: string[]): Promise<void> {
    const key = await service.makeKey({ plan: 'free' });
    const clients = urls.map((url) => apiClient(url, key));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const call = clients[index % clients.length] ?? expect.fail('no client');
        return index % 3 === 0
          ? call('/qrcodes', {
              method: 'POST',
              body: { name: `Nr ${index}`, content: 'https://example.com/' },
            })
          : call('/qrcodes');
      }),
    );
    const succeeded = answers.filter(({ status }) => status >= 200 && status < 300);
    expect(succeeded).to.have.length(20);
    expect(answers.filter(({ status }) => status === 429)).to.have.length(30);
    const left = succeeded.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 20 }, (_, index) => index));
    expect(await recordedRequests(service.db, await subjectOf(service.db, key))).to.have.length(20);
  }

  it('succeed exactly 20 times of 50 on a new Free key (8)', async () => {
    for (let round = 0; round < 3; round += 1) await expectTwentyOfFifty([service.url]);
  });

  it('succeed exactly 20 times of 50 on a new Free key with two services on one database (8)', async () => {
    // They share nothing but the database, as two processes do.
    const web = await startService({ databaseUrl: service.databaseUrl });
    stops.push(web.stop);
    for (let round = 0; round < 3; round += 1) await expectTwentyOfFifty([service.url, web.url]);
  });

  it('without a key get a 401 exactly 60 times from one address (decisions: Limits)', async () => {
    const nobody = apiClient(service.url, undefined);
    const answers = await Promise.all(Array.from({ length: 80 }, () => nobody('/qrcodes')));
    expect(answers.filter(({ status }) => status === 401)).to.have.length(60);
    expect(answers.filter(({ status }) => status === 429)).to.have.length(20);
  });
});
