import { expect } from 'chai';
import { createOverLimitCache } from '../../src/accounts/over-limit-cache.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { setOldestRequest, subjectOf } from '../support/request-windows.ts';
import { startService, type TestService } from '../support/service.ts';

describe('a caller who is over the limit (decisions: Limits)', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function spendFreeKey(): Promise<{ api: ApiClient; subject: string }> {
    const key = await service.makeKey({ plan: 'free' });
    const api = apiClient(service.url, key);
    for (let time = 0; time < 20; time += 1) await api('/qrcodes');
    return { api, subject: await subjectOf(service.db, key) };
  }

  async function waitingForLocks(): Promise<number> {
    const { rows } = (await service.db.raw(
      `SELECT count(*) AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )) as { rows: [{ waiting: number }] };
    return rows[0].waiting;
  }

  /** Locks the tables while `work` runs, so that every query on them waits. */
  async function withTablesLocked(work: () => Promise<void>): Promise<void> {
    const holder = await service.db.transaction();
    try {
      await holder.raw('LOCK TABLE request_windows, api_keys, users IN ACCESS EXCLUSIVE MODE');
      await work();
    } finally {
      await holder.rollback();
    }
  }

  it('gets 429 without a query: at once, while the tables are locked (decisions: Limits)', async () => {
    const { api } = await spendFreeKey();
    const first = await api('/qrcodes');
    expect(first.status).to.equal(429);
    const other = apiClient(service.url, await service.makeKey());
    let otherAnswered = false;
    let otherAnswer: ReturnType<ApiClient> | undefined;
    await withTablesLocked(async () => {
      otherAnswer = other('/qrcodes').finally(() => {
        otherAnswered = true;
      });
      await eventually(async () => expect(await waitingForLocks()).to.equal(1));
      const answers = await Promise.all(Array.from({ length: 100 }, () => api('/qrcodes')));
      for (const { status, headers } of answers) {
        expect(status).to.equal(429);
        for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
          expect(headers.get(name)).to.equal(first.headers.get(name));
        }
      }
      // Only the other key waits, which shows that the lock holds.
      expect(await waitingForLocks()).to.equal(1);
      expect(otherAnswered).to.equal(false);
    });
    expect((await otherAnswer)?.status).to.equal(200);
  });

  it('gets 429 without a query, also without a key (decisions: Limits)', async () => {
    const nobody = apiClient(service.url, undefined);
    await eventually(async () => expect((await nobody('/qrcodes')).status).to.equal(429));
    await withTablesLocked(async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => nobody('/qrcodes')));
      expect(answers.filter(({ status }) => status === 429)).to.have.length(100);
      expect(await waitingForLocks()).to.equal(0);
    });
  });

  it('is checked again at the reset, when that is near (decisions: Limits)', async () => {
    const { api, subject } = await spendFreeKey();
    const soon = "date_trunc('second', now()) - interval '1 hour' + interval '1500 ms'";
    // Repeated where the machine was too busy to meet the time.
    const { headers } = await eventually(async () => {
      await setOldestRequest(service.db, subject, soon);
      const answer = await api('/qrcodes');
      expect(answer.status).to.equal(429);
      return answer;
    });
    const resetAtMs = Number(headers.get('x-ratelimit-reset')) * 1000;
    await eventually(() => expect(Date.now()).to.be.at.least(resetAtMs));
    expect((await api('/qrcodes')).status).to.equal(200);
  });
});

describe('The cache of callers over the limit', () => {
  const window = { resetInMs: 60_000 };

  it('lets one request through when its entry is old, and responds to the others with the time that is left', () => {
    let now = 1_000;
    const cache = createOverLimitCache({ nowMs: () => now });
    cache.set('caller', window);
    now = 2_000;
    expect(cache.get('caller')).to.deep.equal({ resetInMs: 59_000 });
    now = 11_000;
    expect(cache.get('caller'), 'the one that checks again').to.equal(undefined);
    expect(cache.get('caller')).to.deep.equal({ resetInMs: 50_000 });
  });

  it('drops an entry at its reset', () => {
    let now = 1_000;
    const cache = createOverLimitCache({ nowMs: () => now });
    cache.set('caller', { resetInMs: 5_000 });
    now = 5_999;
    expect(cache.get('caller')).to.deep.equal({ resetInMs: 1 });
    now = 6_001;
    expect(cache.get('caller')).to.equal(undefined);
  });

  it('drops the entry of a key that expires before its reset', () => {
    let now = 1_000;
    const cache = createOverLimitCache({ nowMs: () => now });
    cache.set('caller', window, 3_000);
    now = 3_999;
    expect(cache.get('caller')).to.deep.equal({ resetInMs: 57_001 });
    now = 4_001;
    expect(cache.get('caller')).to.equal(undefined);
    cache.set('caller', window, 0);
    expect(cache.get('caller')).to.equal(undefined);
  });

  it('has a bounded size', () => {
    const cache = createOverLimitCache({ maxCallers: 2 });
    for (const caller of ['first', 'second', 'third']) cache.set(caller, window);
    expect(cache.get('first')).to.equal(undefined);
    for (const caller of ['second', 'third']) expect(cache.get(caller)).to.not.equal(undefined);
  });
});
