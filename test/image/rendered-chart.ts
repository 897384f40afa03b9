import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readYaml, root } from '../deploy/files.ts';
import { installPackages } from './install-packages.ts';

const chart = 'deploy/helm/qrelay';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  // oxlint-disable-next-line typescript/no-explicit-any -- validated against the schema of Kubernetes
  spec: any;
  data?: Record<string, string>;
}

type Values = Record<string, unknown>;

export interface ChartRenderer {
  render(values: Values): Manifest[];
  close(): void;
}

/** Undefined where this machine has no Go. */
export async function openChartRenderer(): Promise<ChartRenderer | undefined> {
  const library = (name: string) => [`../share/gocode/src/${name}`];
  const packages = {
    'golang-go': ['go'],
    'golang-github-masterminds-sprig-dev': library('github.com/Masterminds/sprig'),
    'golang-gopkg-yaml.v3-dev': library('gopkg.in/yaml.v3'),
  };
  if (!(await installPackages(packages))) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'qrelay-chart-'));
  const program = join(folder, 'render-chart');
  execFileSync('go', ['build', '-o', program, join(root, 'test/image/render-chart/main.go')], {
    env: {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: '/usr/share/gocode',
      GOCACHE: join(folder, 'cache'),
      GOFLAGS: '',
    },
  });
  return {
    render(values) {
      const complete = merge(readYaml(`${chart}/values.yaml`), values);
      const input = { chart: join(root, chart), release: 'test', namespace: 'default', values: complete };
      const output = execFileSync(program, { input: JSON.stringify(input), encoding: 'utf8' });
      return Object.entries(JSON.parse(output) as Record<string, string>)
        .filter(([name]) => name.endsWith('.yaml'))
        .flatMap(([, text]) => manifestsIn(text));
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0]) throw new Error(`${document.errors[0].message}\n${text}`);
    return (document.toJS() as Manifest | null) ?? [];
  });
}

/** As Helm merges values: objects by key, everything else replaced. */
function merge(below: unknown, above: unknown): unknown {
  if (!isObject(below) || !isObject(above)) return above;
  const keys = Object.keys(above).map((key) => [
    key,
    key in below ? merge(below[key], above[key]) : above[key],
  ]);
  return { ...below, ...Object.fromEntries(keys) };
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
