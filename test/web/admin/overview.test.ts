import { expect } from 'chai';
import {
  type ProcessReport,
  purgeReports,
  readActivity,
  readProcesses,
  saveReport,
} from '../../../src/store/process-reports.ts';
import { currentRelease, releaseName } from '../../../src/runtime/release.ts';
import { apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import type { FormClient } from '../../support/form-client.ts';
import { mainText, signedInOperator } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createCode, openShare } from '../../support/share.ts';

const report = (changes: Partial<ProcessReport> = {}): ProcessReport => ({
  id: '01890000-0000-4000-8000-000000000001',
  kind: 'web',
  host: 'web-1.internal',
  pid: 11,
  version: '9.8.7',
  uptimeMs: 60_000,
  isStopped: false,
  state: { memoryBytes: 104_857_600 },
  errors: [],
  spanMs: 10_000,
  counts: {},
  longestLagMs: undefined,
  ...changes,
});

describe('The overview for operators', () => {
  let service: TestService;
  let operator: FormClient;
  before(async () => {
    service = await startService({ worker: true, eagerQueue: true });
    operator = await signedInOperator(service);
  });
  after(() => service.stop());
  const overview = async () => mainText(await operator.get('/admin'));

  it('lists the processes that report, with version, memory and state', async () => {
    await eventually(async () => {
      const processes = await readProcesses(service.db);
      expect(processes.map(({ kind, status, pid }) => [kind, status, pid])).to.deep.equal([
        ['web', 'running', process.pid],
        ['worker', 'running', process.pid],
      ]);
    });
    const text = await eventually(async () => {
      const shown = await overview();
      expect(shown).to.contain('Nothing needs your attention.');
      return shown;
    });
    expect(text).to.contain(`running ${releaseName(currentRelease({ commit: undefined }))}`);
    expect(text).to.match(/\d+ MB|\d\.\d GB/);
  });

  it('shows processes of several machines, those that stopped reporting, and what they logged last', async () => {
    const error = {
      level: 'error' as const,
      message: 'recorded scans are missing',
      cause: '53200: out of memory',
      times: 1_234,
      lastAt: new Date().toISOString(),
    };
    const ids = [1, 2, 3].map((number) => `01890000-0000-4000-8000-00000000000${number}`);
    await saveReport(service.db, report({ id: ids[0] ?? '' }));
    await saveReport(
      service.db,
      report({ id: ids[1] ?? '', kind: 'worker', host: 'worker-2', pid: 22, errors: [error] }),
    );
    await saveReport(service.db, report({ id: ids[2] ?? '', host: 'web-3', pid: 33, isStopped: true }));
    await service.db.raw(
      "UPDATE processes SET reported_at = now() - interval '1 minute' WHERE host = 'worker-2'",
    );
    const text = await overview();
    expect(text).to.contain('web web-1.internal 11').and.to.contain('9.8.7').and.to.contain('100 MB');
    expect(text).to.contain('The worker process 22 on worker-2 has stopped reporting');
    expect(text).to.contain('recorded scans are missing 53200: out of memory error 1,234');
    expect(text).to.contain('1 ended in the last day');
    await service.db('processes').whereIn('id', ids).delete();
  });

  it('warns of a full spool, scans in memory, a spool that cannot be written, and replicas that are not used', async () => {
    const spool = { bytes: 2_097_152, maxBytes: 268_435_456, isWritable: false, scansInMemory: 12 };
    const replicas = [{ name: 'replica-1:5432/qrelay', state: 'lagging', lagMs: 7_500 }];
    await saveReport(service.db, report({ state: { memoryBytes: 1, spool, replicas } }));
    const text = await overview();
    expect(text).to.contain('cannot write to its spool');
    expect(text).to.contain('holds 12 scans only in memory');
    expect(text).to.contain('2 MB of 256 MB in its spool');
    expect(text).to.contain('The replica replica-1:5432/qrelay is lagging');
    expect(text).to.contain('Replica lag 7.5 s');
    await service.db('processes').where({ host: 'web-1.internal' }).delete();
  });

  it('adds up what all processes counted, by minute, and shares a late report out among the minutes it covers', async () => {
    await service.db('process_samples').delete();
    const insert = (since: string, until: string, counts: object, longestLagMs: number | null = null) =>
      service.db.raw(
        `INSERT INTO process_samples (process_id, since, until, counts, longest_lag_ms)
         SELECT gen_random_uuid(), minute - CAST(? AS interval), minute - CAST(? AS interval), ?, ?
         FROM date_trunc('minute', now()) AS minute`,
        [since, until, JSON.stringify(counts), longestLagMs] as never,
      );
    await insert('5 minutes', '4 minutes', { redirects: 60 }, 800);
    await insert('5 minutes', '4 minutes', { redirects: 120, errors: 1 }, 2_500);
    await insert('10 minutes', '7 minutes', { redirects: 300 });
    await insert('2 hours', '90 minutes', { redirects: 9_999 });
    const { minutes, perMinute } = await readActivity(service.db);
    expect(minutes).to.have.length(60);
    const at = (name: string, ago: number) => perMinute.get(name)?.at(-ago);
    expect(at('redirects', 5)).to.equal(180);
    expect(at('errors', 5)).to.equal(1);
    expect(at('longestLagMs', 5)).to.equal(2_500);
    expect([10, 9, 8, 7].map((ago) => Math.round(at('redirects', ago) ?? -1))).to.deep.equal([
      100, 100, 100, 0,
    ]);
    expect(perMinute.get('redirects')?.reduce((sum, value) => sum + value, 0)).to.be.closeTo(480, 0.001);
    await service.db('process_samples').delete();
  });

  it('shows the redirects and recorded scans of the last minute per second', async () => {
    await service.db('process_samples').delete();
    await service.db.raw(
      `INSERT INTO process_samples (process_id, since, until, counts, longest_lag_ms)
       VALUES (gen_random_uuid(), now() - interval '85 seconds', now() - interval '5 seconds', ?, 900)`,
      [JSON.stringify({ redirects: 800, recorded: 400, lagMs: 80_000, apiRequests: 8, errors: 4 })],
    );
    const text = await overview();
    expect(text).to.contain('Redirects 10 per second').and.to.contain('Scans recorded 5 per second');
    expect(text).to.contain('API requests 0.1 per second').and.to.contain('Errors 3 per minute');
    expect(text).to.contain('Recording lag 0.2 s');
    await service.db('process_samples').delete();
  });

  it('purges samples after an hour, and processes a day after their last report', async () => {
    await saveReport(service.db, report());
    await saveReport(service.db, report({ id: '01890000-0000-4000-8000-000000000002', host: 'gone' }));
    await service.db.raw(
      "UPDATE processes SET reported_at = now() - interval '25 hours' WHERE host = 'gone'",
    );
    await service.db.raw(
      `UPDATE process_samples SET until = now() - interval '2 hours'
       WHERE process_id = '01890000-0000-4000-8000-000000000002'`,
    );
    await purgeReports(service.db);
    const hosts = (await readProcesses(service.db)).map(({ host }) => host);
    expect(hosts).to.include('web-1.internal').and.not.to.include('gone');
    expect(
      await service.db('process_samples').where('until', '<', new Date(Date.now() - 3_600_000)),
    ).to.deep.equal([]);
    await service.db('processes').where({ host: 'web-1.internal' }).delete();
  });
});

describe('What a process reports', () => {
  it('is what it counted, in total exactly once, and that it was shut down', async () => {
    const service = await startService({ worker: true });
    const other = await startService({ databaseUrl: service.databaseUrl });
    const { shareToken } = await createCode(apiClient(service.url, await service.makeKey()));
    for (let scan = 0; scan < 5; scan += 1)
      expect((await openShare(other.url, shareToken)).status).to.equal(302);
    await eventually(async () => expect(await service.db('scans')).to.have.length(5));
    await other.stop();
    const sums = async () => {
      const { rows } = (await service.db.raw(
        `SELECT name, sum(value::float8)::int AS value FROM process_samples, jsonb_each_text(counts) AS c (name, value)
         GROUP BY 1`,
      )) as { rows: { name: string; value: number }[] };
      return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    };
    expect(await sums()).to.include({ redirects: 5 });
    const processes = await readProcesses(service.db);
    expect(processes.filter(({ status }) => status === 'stopped')).to.have.length(1);
    await service.stop();
  });
});
