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

  /** While `work` runs, whoever asks one of these tables for anything has to wait. */
  async function withTablesLocked(work: () => Promise<void>): Promise<void> {
    const holder = await service.db.transaction();
    try {
      await holder.raw('LOCK TABLE request_windows, api_keys, users IN ACCESS EXCLUSIVE MODE');
      await work();
    } finally {
      await holder.rollback();
    }
  }

  it('costs the database nothing more: 429s come at once while its tables are locked (decisions: Limits)', async () => {
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
      // One waits: the other key, which shows that the lock holds. None of the hundred does.
      expect(await waitingForLocks()).to.equal(1);
      expect(otherAnswered).to.equal(false);
    });
    expect((await otherAnswer)?.status).to.equal(200);
  });

  it('costs the database nothing more without a key either (decisions: Limits)', async () => {
    const nobody = apiClient(service.url, undefined);
    await eventually(async () => expect((await nobody('/qrcodes')).status).to.equal(429));
    await withTablesLocked(async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => nobody('/qrcodes')));
      expect(answers.filter(({ status }) => status === 429)).to.have.length(100);
      expect(await waitingForLocks()).to.equal(0);
    });
  });

  it('is asked about again at the reset, when that is near (decisions: Limits)', async () => {
    const { api, subject } = await spendFreeKey();
    const soon = "date_trunc('second', now()) - interval '1 hour' + interval '1500 ms'";
    // Again where the machine was so busy that the moment had passed.
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

  it('is asked about again after 10 s at the latest, by one request at a time (decisions: Limits)', () => {
    let elapsedMs = 1;
    const spent = createOverLimitCache(() => elapsedMs);
    spent.set('caller', { resetInMs: 60_000 });
    elapsedMs += 9_999;
    expect(spent.get('caller')).to.deep.equal({ resetInMs: 50_001 });
    elapsedMs += 1;
    expect(spent.get('caller')).to.equal(undefined);
    expect(spent.get('caller')).to.deep.equal({ resetInMs: 50_000 });
  });

  it('is one of 10,000 at most: the memory has an end (decisions: Limits)', () => {
    const spent = createOverLimitCache();
    const window = { limit: 60, remaining: 0, resetInMs: 60_000, resetAt: 1 };
    for (let caller = 0; caller <= 10_000; caller += 1) spent.set(String(caller), window);
    expect(spent.get('0')).to.equal(undefined);
    for (const caller of ['1', '10000']) {
      expect(spent.get(caller)).to.include({ limit: 60, remaining: 0, resetAt: 1 });
      expect(spent.get(caller)?.resetInMs).to.be.within(1, 60_000);
    }
  });
});
