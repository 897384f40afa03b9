import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findProgram } from '../support/find-program.ts';
import { expectBuilt, expectValidEnvironment, readText, readYaml, root } from './files.ts';

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
  deploy?: { replicas: number };
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

interface ScrapeConfig {
  job_name: string;
  dns_sd_configs: [{ names: [string]; port: number }];
}

/** What the comment at the top of the file tells an operator to set. */
const settings: Record<string, string> = {
  DOMAIN: 'qr.example.com',
  POSTGRES_PASSWORD: 'abc123',
  GRAFANA_PASSWORD: 'abc123',
};

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as Compose reads them. */
const interpolate = (text: string) =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, operator?: string, rest = '') => {
    const value = settings[name] ?? (operator === '-' ? rest : undefined);
    if (value === undefined) throw new Error(`${name} is not set: ${rest}`);
    return value;
  });

describe('compose.yaml', () => {
  const { services, volumes } = readYaml('compose.yaml') as Compose;
  const ours = Object.entries(services).filter(([, { image }]) => image === 'qrelay');

  it('runs two web processes, two workers and one migration, each with a valid environment', () => {
    expect(ours.map(([name, { deploy }]) => [name, deploy?.replicas ?? 1])).to.deep.equal([
      ['web', 2],
      ['worker', 2],
      ['migrate', 1],
    ]);
    for (const [, { environment = {} }] of ours) {
      const values = Object.entries(environment).map(([name, value]) => [name, interpolate(value)]);
      expectValidEnvironment(Object.fromEntries(values) as Record<string, string>);
    }
    expectBuilt(services['worker']?.command?.[1] ?? '');
    expect(services['migrate']?.command).to.deep.equal(['qrelay', 'migrate']);
  });

  it('runs our containers without privileges on a read-only file system, and lets them drain', () => {
    for (const [, service] of ours) {
      expect(service).to.deep.include({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '30s' });
    }
  });

  it('gives the web processes a spool that outlives them', () => {
    expect(services['web']?.volumes).to.deep.equal(['spool:/data']);
    expect(volumes).to.have.property('spool');
    expect(readText('Dockerfile')).to.match(/\bDATA_DIR=\/data\b/);
  });

  it('runs a Redis that neither evicts nor forgets jobs', () => {
    const command = services['redis']?.command?.join(' ');
    expect(command).to.include('--appendonly yes').and.to.include('--maxmemory-policy noeviction');
  });

  it('mounts files that exist and volumes that it declares', () => {
    const mounts = Object.values(services).flatMap(({ volumes: mounted = [] }) => mounted);
    expect(mounts).to.have.length.above(8);
    for (const [source = ''] of mounts.map((mount) => mount.split(':'))) {
      if (source.startsWith('.')) expect(existsSync(join(root, source)), source).to.equal(true);
      else expect(Object.keys(volumes)).to.include(source);
    }
  });

  it('names every variable that must be set in its first comment', () => {
    const text = readText('compose.yaml');
    const required = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
    expect(new Set(required)).to.deep.equal(new Set(Object.keys(settings)));
    const [comment = ''] = text.split('\nx-qrelay:');
    for (const name of required) expect(comment).to.include(`#   ${name}=`);
  });

  it('lets Prometheus find every web process and worker under the job names of the alerts', () => {
    const { scrape_configs: jobs } = readYaml('deploy/compose/prometheus.yml') as {
      scrape_configs: ScrapeConfig[];
    };
    expect(
      jobs.map(({ job_name, dns_sd_configs: [{ names, port }] }) => [job_name, names[0], String(port)]),
    ).to.deep.equal([
      ['qrelay-web', 'web', services['web']?.environment?.['METRICS_PORT']],
      ['qrelay-worker', 'worker', services['worker']?.environment?.['WORKER_METRICS_PORT']],
    ]);
    expect(readText('docs/operations/alerts.yml')).to.include('up{job=~"qrelay-(web|worker)"}');
  });

  it('configures Prometheus as promtool accepts it, alerts included', function () {
    const promtool = findProgram('promtool');
    if (!promtool) return this.skip();
    // Beside each other, as compose.yaml mounts them.
    const folder = mkdtempSync(join(tmpdir(), 'qrelay-prometheus-'));
    cpSync(join(root, 'deploy/compose/prometheus.yml'), join(folder, 'prometheus.yml'));
    cpSync(join(root, 'docs/operations/alerts.yml'), join(folder, 'alerts.yml'));
    const { status, stdout, stderr } = spawnSync(
      promtool,
      ['check', 'config', join(folder, 'prometheus.yml')],
      { encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true });
    expect(status, stderr).to.equal(0);
    expect(stdout).to.match(/alerts\.yml\n\s*SUCCESS: \d\d rules found/);
  });

  it('gives Grafana the dashboard where its provider looks for it', () => {
    const { providers } = readYaml('deploy/compose/grafana/dashboards/qrelay.yml') as {
      providers: [{ options: { path: string } }];
    };
    expect(services['grafana']?.volumes).to.include(
      `./docs/operations/grafana-dashboard.json:${providers[0].options.path}/qrelay.json:ro`,
    );
  });
});
