import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse } from 'yaml';
import { sources } from '../docs/documents.ts';
import { knownVariables, readJson, readText, readYaml, root } from './files.ts';

const chart = 'deploy/helm/qrelay';
const templates = readdirSync(join(root, chart, 'templates')).map((name) => `${chart}/templates/${name}`);
type Values = Record<string, Record<string, unknown>>;

describe('The Helm chart', () => {
  const validate = new Ajv({ strict: false }).compile(readJson(`${chart}/values.schema.json`) as object);
  const values = readYaml(`${chart}/values.yaml`) as Values;
  const withConfig = (config: object) => ({ ...values, config: { ...values['config'], ...config } });

  it('has the version of the service', () => {
    const { version } = readJson('package.json') as { version: string };
    expect(readYaml(`${chart}/Chart.yaml`)).to.include({ version, appVersion: version });
  });

  it('has default values that need only BASE_URL', () => {
    expect(
      validate(withConfig({ BASE_URL: 'https://qr.example.com' })),
      JSON.stringify(validate.errors),
    ).to.equal(true);
    expect(validate(values)).to.equal(false);
  });

  it('accepts the values that docs/deployment/kubernetes.md shows, and has the values it names', () => {
    const page = readText('docs/deployment/kubernetes.md');
    const shown = parse(/```yaml\n([^]*?)```/.exec(page)?.[1] ?? '') as Values;
    const merged = Object.entries(shown).map(([name, given]) => [name, { ...values[name], ...given }]);
    expect(validate({ ...values, ...Object.fromEntries(merged) }), JSON.stringify(validate.errors)).to.equal(
      true,
    );
    const named = [...page.matchAll(/`((?:spool|worker|metrics|image|ingress)\.[\w.]+)`/g)];
    expect(named).to.have.length.above(5);
    for (const [, path = ''] of named) {
      const value = path.split('.').reduce<unknown>((at, name) => (at as Values | undefined)?.[name], values);
      expect(value, path).not.to.equal(undefined);
    }
  });

  it('rejects unknown values, secrets in the values, and variables that it sets itself', () => {
    const good = withConfig({ BASE_URL: 'https://qr.example.com' });
    expect(validate({ ...good, wbe: {} })).to.equal(false);
    expect(validate({ ...good, spool: { ...values['spool'], mode: 'disk' } })).to.equal(false);
    for (const name of ['DATABASE_URL', 'SMTP_URL', 'METRICS_TOKEN', 'PORT', 'DATA_DIR'])
      expect(validate(withConfig({ BASE_URL: 'https://qr.example.com', [name]: '3000' })), name).to.equal(
        false,
      );
  });

  it('sets only variables that the service reads', () => {
    const set = templates.flatMap((file) => [...readText(file).matchAll(/\{ name: ([A-Z_]+), value:/g)]);
    const inSchema = /"config": \{[^]*?\n {4}\}/.exec(readText(`${chart}/values.schema.json`))?.[0] ?? '';
    const names = [
      ...set.map(([, name = '']) => name),
      ...[...inSchema.matchAll(/"([A-Z][A-Z_]+)": \{/g)].map(([, name = '']) => name),
      ...Object.keys(values['config'] ?? {}),
      ...[...readText(`${chart}/values.yaml`).matchAll(/\b([A-Z]+_(?:URL|TOKEN|FILE|HOPS))\b/g)].map(
        ([, name = '']) => name,
      ),
    ];
    expect(names).to.include.members(['PORT', 'WORKER_METRICS_PORT', 'BASE_URL', 'REDIS_URL']);
    expect([...knownVariables()]).to.include.members(names);
  });

  it('uses only values that values.yaml has', () => {
    const used = templates.flatMap((file) =>
      [...readText(file).matchAll(/\$?\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path.slice(1)),
    );
    expect(used).to.have.length.above(30);
    for (const path of used) {
      if (path === 'config.BASE_URL') continue;
      let value: unknown = values;
      for (const key of path.split('.')) value = (value as Values)[key];
      expect(value, path).to.not.equal(undefined);
    }
  });

  it('has the alerts and the dashboard of docs/operations', () => {
    for (const file of ['alerts.yml', 'grafana-dashboard.json']) {
      expect(existsSync(join(root, chart, 'files', file)), file).to.equal(true);
      expect(readText(`${chart}/files/${file}`)).to.equal(readText(`docs/operations/${file}`));
    }
  });

  it('scales workers by a metric that prometheus-adapter makes of one of ours', () => {
    const { rules } = readYaml('deploy/helm/prometheus-adapter.yaml') as {
      rules: { external: [{ name: { as: string }; metricsQuery: string }] };
    };
    const [rule] = rules.external;
    expect(values['worker']?.['autoscaling']).to.have.nested.property('queueDepth.metric', rule.name.as);
    const [metric = ''] = /qrelay_\w+/.exec(rule.metricsQuery) ?? [];
    expect(sources).to.include(`'${metric}'`);
  });
});
