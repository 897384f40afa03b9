import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../deploy/files.ts';
import type { Manifest } from './rendered-chart.ts';

/** Kind → module of kubernetes-types. Those of the Prometheus operator are not among them. */
const modules: Record<string, string> = {
  StatefulSet: 'apps/v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  PodDisruptionBudget: 'policy/v1',
  Service: 'core/v1',
  ConfigMap: 'core/v1',
  PersistentVolumeClaim: 'core/v1',
  Ingress: 'networking/v1',
};

/** Fields that Kubernetes does not know, or whose values have the wrong type, as the compiler reports them. */
export function fieldErrors(manifests: Manifest[]): string {
  const known = manifests.filter(({ kind }) => modules[kind]);
  const kinds = [...new Set(known.map(({ kind }) => kind))];
  const imports = kinds.map((kind) => `import type { ${kind} } from 'kubernetes-types/${modules[kind]}';`);
  // Object literals, because only in those the compiler rejects unknown fields.
  const constants = known.map(
    (one, at) => `export const m${at}: ${one.kind} = ${JSON.stringify(one, null, 2)};`,
  );
  // Inside the project, where the package is found.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'qrelay-chart-'));
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, [...imports, ...constants].join('\n'));
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ];
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout } = spawnSync(compiler, [...flags, '--types', '', '--ignoreConfig', file], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  return stdout;
}
