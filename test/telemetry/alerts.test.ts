// Inputs: docs/operations/alerts.yml
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findProgram } from '../support/find-program.ts';
import {
  alertCases,
  explainedDifferences,
  geoAge,
  healthy,
  type Series,
  unrelatedJobs,
} from './alert-cases.ts';

const rules = fileURLToPath(new URL('../../docs/operations/alerts.yml', import.meta.url));

interface Expectation {
  changes: Series;
  atMinutes: number[];
  /** The alerts to evaluate. */
  query: string;
  firing: string[];
}

/** The rules that this alert needs: all of them together take ten times as long to evaluate. */
function onlyAlert(text: string, alert: string): string {
  const rule = /^ {6}- (?:alert|record): (\S+)\n(?: {8}.*\n)+/gm;
  const [kept = ''] = [...text.matchAll(rule)].find(([, name]) => name === alert) ?? [];
  return text.replaceAll(rule, (found, name: string) => (name === alert || kept.includes(name) ? found : ''));
}

describe("Prometheus's rules (docs/operations/alerts.yml)", () => {
  let promtool: string;
  let folder: string;

  before(async function () {
    const found = findProgram('promtool');
    if (!found) return this.skip();
    promtool = found;
    folder = await mkdtemp(join(tmpdir(), 'qrelay-alerts-'));
  });
  after(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  function run(...args: string[]): void {
    const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8' });
    expect(status, `${stdout}${stderr}`).to.equal(0);
  }

  /** In the format of promtool's unit tests; JSON is valid YAML. */
  async function check(expectations: Expectation[], alert?: string): Promise<void> {
    const file = join(folder, 'test.yml');
    const used = join(folder, 'rules.yml');
    const all = await readFile(rules, 'utf8');
    const text = alert === undefined ? all : onlyAlert(all, alert);
    await writeFile(used, text);
    // A series that no rule names takes time and changes nothing.
    const isNamed = (series: string) => text.includes(series.slice(0, series.indexOf('{')));
    const tests = expectations.map(({ changes, atMinutes, query, firing }) => ({
      interval: '1m',
      input_series: Object.entries({ ...healthy, ...changes })
        .filter(([series]) => isNamed(series))
        .map(([series, values]) => ({ series, values })),
      promql_expr_test: atMinutes.map((minute) => ({
        expr: `count by (alertname) (${query})`,
        eval_time: `${minute}m`,
        exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      })),
    }));
    // What compares hours takes long to evaluate, and is the same each minute.
    const interval = alert === 'QrelayScansUnaccounted' ? '4m' : '1m';
    await writeFile(file, JSON.stringify({ rule_files: [used], evaluation_interval: interval, tests }));
    run('test', 'rules', file);
  }

  const firing = (alert: string) => `ALERTS{alertstate="firing",alertname="${alert}"}`;

  it('load', () => run('check', 'rules', rules));

  it('have a case for every alert', async () => {
    const alerts = (await readFile(rules, 'utf8')).matchAll(/^ +- alert: (\w+)$/gm);
    expect(Object.keys(alertCases)).to.have.members([...alerts].map(([, name]) => name));
  });

  it('do not fire in ten hours of a healthy service', () =>
    check([{ changes: {}, atMinutes: [10, 60, 120, 370, 450, 600], query: 'ALERTS', firing: [] }]));

  for (const [alert, { fires, atMinute, silent }] of Object.entries(alertCases)) {
    it(`${alert} fires in its case, and not just below its threshold`, () =>
      check(
        [
          { changes: fires, atMinutes: [atMinute], query: firing(alert), firing: [alert] },
          { changes: silent, atMinutes: [atMinute], query: firing(alert), firing: [] },
        ],
        alert,
      ));
  }

  for (const [reason, changes] of Object.entries(explainedDifferences)) {
    const alert = 'QrelayScansUnaccounted';
    it(`${alert} stays silent while ${reason}`, () => {
      const lossy = alertCases[alert];
      return check(
        [
          {
            changes: { ...lossy?.fires, ...changes },
            atMinutes: [lossy?.atMinute ?? 0],
            query: firing(alert),
            firing: [],
          },
        ],
        alert,
      );
    });
  }

  it('QrelayScansUnaccounted fires although jobs of another queue are late or have failed', () => {
    const alert = 'QrelayScansUnaccounted';
    const { fires, atMinute } = alertCases[alert] ?? { fires: {}, atMinute: 0 };
    return check(
      [
        {
          changes: { ...fires, ...unrelatedJobs },
          atMinutes: [atMinute],
          query: firing(alert),
          firing: [alert],
        },
      ],
      alert,
    );
  });

  it('QrelayNoWorker fires for the queue without a worker, also if there never was one', () => {
    const alert = 'QrelayNoWorker';
    const never = Object.fromEntries(
      Object.keys(healthy)
        .filter((series) => series.startsWith('qrelay_worker_jobs_total'))
        .map((series) => [series, `_x600`]),
    );
    const waiting = Object.keys(healthy).find((series) => /queue="scans",state="waiting"/.test(series)) ?? '';
    return check(
      [
        {
          changes: { ...never, [waiting]: '0x100 2x600' },
          atMinutes: [106],
          query: firing(alert),
          firing: [alert],
        },
      ],
      alert,
    );
  });

  it('QrelayScansUnaccounted fires for a loss that began and ended within the window', () => {
    const alert = 'QrelayScansUnaccounted';
    const recorded = Object.keys(healthy).find((name) => name.includes('outcome="recorded"')) ?? '';
    // One hour of ten, a quarter of the scans of that hour.
    const changes = { [recorded]: '0+60x200 12000+45x59 14700+60x400' };
    return check([{ changes, atMinutes: [350], query: firing(alert), firing: [alert] }], alert);
  });

  it('QrelayReplicaUnused fires when the only replica is the primary itself, and not without replicas', () => {
    const alert = 'QrelayReplicaUnused';
    const usable = Object.keys(healthy).find((name) => name.includes('state="usable"')) ?? '';
    const primary = usable.replace('usable', 'primary');
    const none = { [usable]: '0x600', [primary]: '0x600' };
    const query = firing(alert);
    return check(
      [
        { changes: { [usable]: '0x600' }, atMinutes: [11], query, firing: [alert] },
        { changes: none, atMinutes: [11], query, firing: [] },
      ],
      alert,
    );
  });

  it('QrelayGeoDataOld fires for a file that has not been updated for 90 days', () => {
    const alert = 'QrelayGeoDataOld';
    const query = firing(alert);
    const file = (age: number) => ({ [geoAge('bundled')]: '_x600', [geoAge('file')]: `${age}x600` });
    return check(
      [
        { changes: file(90 * 86_400 + 1), atMinutes: [61], query, firing: [alert] },
        { changes: file(90 * 86_400), atMinutes: [61], query, firing: [] },
      ],
      alert,
    );
  });
});
