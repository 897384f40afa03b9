import { expect } from 'chai';
import { findUserByEmail } from '../../src/accounts/users.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { ageRequests, recordedRequests, setOldestRequest, subjectOf } from '../support/request-windows.ts';
import { startService, type TestService } from '../support/service.ts';
import { ownWorkspaceId, setPlan } from '../../src/workspaces/workspace.ts';

const hour = 3_600;

describe('the window of a key (8)', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function newCaller(plan: 'free' | 'pro' = 'free', email?: string) {
    const key = await service.makeKey({ plan, ...(email !== undefined && { email }) });
    const subject = await subjectOf(service.db, key);
    return {
      subject,
      api: apiClient(service.url, key),
      recorded: () => recordedRequests(service.db, subject),
    };
  }

  async function statusesOf(api: ApiClient, times: number): Promise<number[]> {
    const statuses: number[] = [];
    for (let time = 0; time < times; time += 1) statuses.push((await api('/qrcodes')).status);
    return statuses;
  }
  const times = (count: number, status: number) => Array.from({ length: count }, () => status);
  const number = (headers: Headers, name: string) => Number(headers.get(name));

  for (const [plan, quota] of [
    ['free', 20],
    ['pro', 100],
  ] as const) {
    it(`allows ${quota} requests per hour on ${plan}, counts down, and responds to the next with 429 (8)`, async () => {
      const { api } = await newCaller(plan);
      for (let left = quota - 1; left >= 0; left -= 1) {
        const { status, headers } = await api('/qrcodes');
        expect(status).to.equal(200);
        expect(headers.get('x-ratelimit-limit')).to.equal(String(quota));
        expect(headers.get('x-ratelimit-remaining')).to.equal(String(left));
      }
      const { status, headers, body } = await api('/qrcodes');
      expect(status).to.equal(429);
      expect(body.error).to.equal('rate_limited');
      expect(headers.get('x-ratelimit-limit')).to.equal(String(quota));
      expect(headers.get('x-ratelimit-remaining')).to.equal('0');
    });
  }

  it('does not count a rejected request (decisions: Limits)', async () => {
    const { api, recorded } = await newCaller();
    await statusesOf(api, 20);
    const before = await recorded();
    expect(await statusesOf(api, 10)).to.deep.equal(times(10, 429));
    expect(await recorded()).to.deep.equal(before);
    expect(before).to.have.length(20);
  });

  it('counts every other authenticated request, whatever its status (decisions: Limits)', async () => {
    const { api, recorded } = await newCaller();
    const calls: [number, ...Parameters<ApiClient>][] = [
      [200, '/qrcodes'],
      [200, '/qrcodes', { method: 'HEAD' }],
      [201, '/qrcodes', { method: 'POST', body: { name: 'Menu', content: 'https://example.com/' } }],
      [400, '/qrcodes', { method: 'POST', body: {} }],
      [400, '/qrcodes?limit=0'],
      [404, '/qrcodes/00000000-0000-7000-8000-000000000000'],
      [404, '/nothing-here'],
      [405, '/qrcodes', { method: 'PUT', body: {} }],
      [413, '/qrcodes', { method: 'POST', raw: `"${'x'.repeat(70_000)}"` }],
      [415, '/qrcodes', { method: 'POST', raw: 'x', headers: { 'Content-Type': 'text/plain' } }],
    ];
    for (const [index, [status, ...call]] of calls.entries()) {
      const answer = await api(...call);
      expect(answer.status, JSON.stringify(call)).to.equal(status);
      expect(number(answer.headers, 'x-ratelimit-remaining')).to.equal(20 - index - 1);
    }
    expect(await recorded()).to.have.length(calls.length);
  });

  it('sets X-RateLimit-Reset to when the oldest request leaves, in whole seconds, rounded up (decisions: Limits)', async () => {
    const { api, subject, recorded } = await newCaller();
    const first = await api('/qrcodes');
    const [oldest = 0] = await recorded();
    expect(first.headers.get('x-ratelimit-reset')).to.equal(String(Math.ceil(oldest + hour)));

    const halfAnHourAgo = "date_trunc('second', now()) - interval '30 minutes'";
    for (const [later, roundedUp] of [
      ['0', 0],
      ['1 microsecond', 1],
      ['999999 microseconds', 1],
    ] as const) {
      await setOldestRequest(service.db, subject, `${halfAnHourAgo} + interval '${later}'`);
      const second = Math.floor((await recorded())[0] ?? 0);
      const { headers } = await api('/qrcodes');
      expect(headers.get('x-ratelimit-reset'), later).to.equal(String(second + hour + roundedUp));
    }
  });

  it('lets a request succeed at X-RateLimit-Reset after a 429, and none before (decisions: Limits)', async () => {
    const { api, subject, recorded } = await newCaller();
    await statusesOf(api, 20);
    // Far enough before a whole second that rounding up shows.
    const soon = "date_trunc('second', now()) - interval '1 hour' + interval '2.4 seconds'";
    // Repeated where the machine was too busy to meet the time.
    const { leavesAtMs, refused } = await eventually(async () => {
      await setOldestRequest(service.db, subject, soon);
      const leaves = ((await recorded())[0] ?? 0) * 1000 + hour * 1000;
      const answer = await api('/qrcodes');
      expect(answer.status).to.equal(429);
      return { leavesAtMs: leaves, refused: answer };
    });
    const resetAtMs = number(refused.headers, 'x-ratelimit-reset') * 1000;
    expect(resetAtMs).to.equal(Math.ceil(leavesAtMs / 1000) * 1000);

    const statuses: number[] = [];
    await eventually(async () => {
      const { status } = await api('/qrcodes');
      statuses.push(status);
      // Only after the response is it certain that the request was before the reset.
      if (Date.now() < leavesAtMs) expect(status).to.equal(429);
      expect(Date.now()).to.be.greaterThan(leavesAtMs - 100);
    });
    await eventually(() => expect(Date.now()).to.be.at.least(resetAtMs));
    statuses.push(...(await statusesOf(api, 2)));
    // One request became available, whichever request was first to use it.
    expect(statuses.filter((status) => status === 200)).to.have.length(1);
    expect(statuses.at(-1)).to.equal(429);
  });

  it('refuses while the oldest request is a second short of an hour old, and not when it is an hour old (8)', async () => {
    const short = await newCaller();
    await statusesOf(short.api, 20);
    await ageRequests(service.db, short.subject, { bySeconds: hour - 60, oldest: 20 });
    await eventually(async () => {
      await setOldestRequest(service.db, short.subject, "now() - interval '3599 seconds'");
      expect(await statusesOf(short.api, 1)).to.deep.equal([429]);
    });

    const full = await newCaller();
    await statusesOf(full.api, 20);
    await ageRequests(service.db, full.subject, { bySeconds: hour - 60, oldest: 20 });
    await setOldestRequest(service.db, full.subject, "now() - interval '3600 seconds'");
    expect(await statusesOf(full.api, 2)).to.deep.equal([200, 429]);
  });

  it('sets Retry-After to the seconds until the reset, at least 1 (decisions: Limits)', async () => {
    const far = await newCaller();
    await statusesOf(far.api, 20);
    const { headers } = await far.api('/qrcodes');
    const secondsToReset = number(headers, 'x-ratelimit-reset') - Date.now() / 1000;
    expect(headers.get('retry-after')).to.match(/^\d+$/);
    // The reset is the same time, rounded up to a whole second.
    expect(number(headers, 'retry-after')).to.be.within(secondsToReset - 1, secondsToReset + 1);

    const near = await newCaller();
    await statusesOf(near.api, 20);
    const refused = await eventually(async () => {
      await setOldestRequest(service.db, near.subject, "now() - interval '1 hour' + interval '900 ms'");
      const answer = await near.api('/qrcodes');
      expect(answer.status).to.equal(429);
      return answer;
    });
    expect(number(refused.headers, 'retry-after')).to.be.within(1, 2);
  });

  it("measures Retry-After by the database's clock, not by that of the web process (decisions: Limits, one clock)", async () => {
    const { api } = await newCaller();
    await statusesOf(api, 20);
    service.setNow(new Date(Date.now() + 2 * hour * 1000));
    const { headers } = await api('/qrcodes');
    service.setNow(undefined);
    expect(number(headers, 'retry-after')).to.be.within(hour - 60, hour + 1);
  });

  it('slides: exactly as many requests become available as have left the window (8)', async () => {
    const { api, subject, recorded } = await newCaller();
    await statusesOf(api, 20);
    await ageRequests(service.db, subject, { bySeconds: 1_800, oldest: 12 });
    await ageRequests(service.db, subject, { bySeconds: 1_800, oldest: 7 });
    const nextToLeave = (await recorded())[7] ?? 0;
    const { status, headers } = await api('/qrcodes');
    expect(status).to.equal(200);
    expect(headers.get('x-ratelimit-remaining')).to.equal('6');
    expect(headers.get('x-ratelimit-reset')).to.equal(String(Math.ceil(nextToLeave + hour)));
    expect(await statusesOf(api, 7)).to.deep.equal([...times(6, 200), 429]);
  });

  it('is empty again an hour after the last request (8)', async () => {
    const { api, subject } = await newCaller();
    await statusesOf(api, 20);
    await ageRequests(service.db, subject, { bySeconds: hour });
    expect((await api('/qrcodes')).headers.get('x-ratelimit-remaining')).to.equal('19');
  });

  it('applies a change of plan at once, up and down (8)', async () => {
    const { api, recorded } = await newCaller('free', 'change@example.com');
    const user = await findUserByEmail(service.db, 'change@example.com');
    await statusesOf(api, 20);
    await setPlan(service.db, ownWorkspaceId(user), 'pro');
    const asPro = await api('/qrcodes');
    expect(asPro.status).to.equal(200);
    expect(asPro.headers.get('x-ratelimit-limit')).to.equal('100');
    expect(asPro.headers.get('x-ratelimit-remaining')).to.equal('79');

    await statusesOf(api, 9);
    await setPlan(service.db, ownWorkspaceId(user), 'free');
    const asFree = await api('/qrcodes');
    expect(asFree.status).to.equal(429);
    expect(asFree.headers.get('x-ratelimit-limit')).to.equal('20');
    expect(asFree.headers.get('x-ratelimit-remaining')).to.equal('0');
    // 30 are in the window: 11 must leave before another request is allowed.
    const eleventh = (await recorded())[10] ?? 0;
    expect(asFree.headers.get('x-ratelimit-reset')).to.equal(String(Math.ceil(eleventh + hour)));
  });

  it('is separate for each key, also for two keys of one user (5.6)', async () => {
    const first = await newCaller('free', 'both@example.com');
    const second = await newCaller('free', 'both@example.com');
    expect(await statusesOf(first.api, 21)).to.deep.equal([...times(20, 200), 429]);
    expect((await second.api('/qrcodes')).headers.get('x-ratelimit-remaining')).to.equal('19');
  });
});
