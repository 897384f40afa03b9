import { expect } from 'chai';
import { expectBuilt, expectValidEnvironment } from '../deploy/files.ts';
import { fieldErrors } from './kubernetes-fields.ts';
import { type ChartRenderer, type Manifest, openChartRenderer } from './rendered-chart.ts';

interface ContainerSpec {
  args?: string[];
  env: { name: string; value: string }[];
  ports?: { name: string }[];
}

const required = { config: { BASE_URL: 'https://qr.example.com' } };
const everything = {
  ...required,
  imagePullSecrets: [{ name: 'registry' }],
  extraVolumes: [{ name: 'ca', secret: { secretName: 'redis-ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }],
  worker: {
    autoscaling: { queueDepth: { enabled: true } },
    nodeSelector: { pool: 'workers' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    podAnnotations: { note: 'worker' },
  },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { note: 'ingress' } },
  service: { annotations: { note: 'service' } },
  metrics: {
    podMonitor: { enabled: true, useToken: true },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
  },
};

const podOf = ({ spec }: Manifest) => spec?.template?.spec as { containers: [ContainerSpec] } | undefined;
const byName = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name);

describe('The Helm chart, rendered', () => {
  let renderer: ChartRenderer;

  before(async function () {
    const opened = await openChartRenderer();
    if (!opened) return this.skip();
    renderer = opened;
  });
  after(() => renderer?.close());

  const modes = ['claimPerPod', 'sharedClaim', 'emptyDir'];
  const variants: Record<string, () => Manifest[]> = {
    ...Object.fromEntries(
      modes.map((mode) => [mode, () => renderer.render({ ...required, spool: { mode } })]),
    ),
    'every option': () => renderer.render(everything),
  };

  it('has web, worker, migration, services, autoscalers and disruption budgets', () => {
    const found = renderer.render(required).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(found).to.have.members([
      'StatefulSet test-qrelay-web',
      'Deployment test-qrelay-worker',
      'Job test-qrelay-migrate',
      'Service test-qrelay',
      'Service test-qrelay-web-pods',
      'HorizontalPodAutoscaler test-qrelay-web',
      'HorizontalPodAutoscaler test-qrelay-worker',
      'PodDisruptionBudget test-qrelay-web',
      'PodDisruptionBudget test-qrelay-worker',
    ]);
  });

  for (const [name, render] of Object.entries(variants)) {
    it(`starts every pod with a valid environment, not as root, on a read-only root (${name})`, () => {
      const pods = render().flatMap((manifest) => podOf(manifest) ?? []);
      expect(pods).to.have.length(3);
      for (const pod of pods) {
        expect(pod).to.have.nested.property('securityContext.runAsNonRoot', true);
        expect(pod).to.have.nested.property('securityContext.runAsUser', 10001);
        const [container] = pod.containers;
        expect(container).to.have.nested.property('securityContext.readOnlyRootFilesystem', true);
        expect(container).to.have.nested.property('securityContext.allowPrivilegeEscalation', false);
        expectValidEnvironment(Object.fromEntries(container.env.map(({ name: key, value }) => [key, value])));
        const program = container.args?.[1];
        if (program !== 'migrate') expectBuilt(program ?? 'dist/src/server.js');
      }
    });

    it(`has only fields that Kubernetes knows, with values of their type (${name})`, () => {
      expect(fieldErrors(render())).to.equal('');
    });

    it(`refers only to pods, ports and volumes that it has (${name})`, () => {
      const manifests = render();
      for (const one of manifests) {
        if (one.kind === 'HorizontalPodAutoscaler') {
          const { kind, name: target } = one.spec.scaleTargetRef;
          expect(byName(manifests, kind, target), target).to.not.equal(undefined);
        }
        const pod = podOf(one);
        if (pod) expectMounted(one);
        const selector =
          one.spec?.selector?.matchLabels ?? (one.kind === 'Service' ? one.spec.selector : undefined);
        if (selector) {
          const selected = manifests.filter(({ spec }) =>
            isSelected(selector, spec?.template?.metadata?.labels),
          );
          expect(selected, `${one.kind} ${one.metadata.name}`).to.have.length(1);
          const ports =
            (selected[0] && podOf(selected[0])?.containers[0].ports?.map((port) => port.name)) ?? [];
          for (const { targetPort } of one.kind === 'Service' ? one.spec.ports : [])
            expect(ports).to.include(targetPort);
        }
      }
    });
  }

  it('would not pass with a field that Kubernetes does not know', () => {
    const [job] = renderer.render(required).filter(({ kind }) => kind === 'Job');
    const wrong = { ...job, spec: { ...job?.spec, backofLimit: 3 } } as Manifest;
    expect(fieldErrors([wrong])).to.include(`'"backofLimit"' does not exist in type 'JobSpec'`);
  });

  it('migrates before an installation or upgrade, with nothing that the chart creates', () => {
    const job = byName(variants['every option']?.() ?? [], 'Job', 'test-qrelay-migrate');
    expect(job?.metadata.annotations?.['helm.sh/hook']).to.equal('pre-install,pre-upgrade');
    const pod = podOf(job as Manifest);
    expect(pod?.containers[0]).to.deep.include({
      args: ['qrelay', 'migrate'],
      envFrom: [{ secretRef: { name: 'qrelay' } }],
    });
    expect(pod).to.not.have.property('serviceAccountName');
  });

  it('gives the spool a volume for each pod, one for all, or none', () => {
    const perPod = byName(variants['claimPerPod']?.() ?? [], 'StatefulSet', 'test-qrelay-web');
    expect(perPod?.spec.volumeClaimTemplates[0].spec.accessModes).to.deep.equal(['ReadWriteOnce']);
    const shared = variants['sharedClaim']?.() ?? [];
    expect(byName(shared, 'PersistentVolumeClaim', 'test-qrelay-spool')?.spec.accessModes).to.deep.equal([
      'ReadWriteMany',
    ]);
    expect(byName(shared, 'Deployment', 'test-qrelay-web')?.spec.template.spec.volumes).to.deep.include({
      name: 'spool',
      persistentVolumeClaim: { claimName: 'test-qrelay-spool' },
    });
    const none = byName(variants['emptyDir']?.() ?? [], 'Deployment', 'test-qrelay-web');
    expect(none?.spec.template.spec.volumes).to.deep.include({
      name: 'spool',
      emptyDir: { sizeLimit: '2Gi' },
    });
  });

  it('scales workers by CPU, and by waiting jobs if asked', () => {
    const metricsOf = (manifests: Manifest[]) =>
      byName(manifests, 'HorizontalPodAutoscaler', 'test-qrelay-worker')?.spec.metrics.map(
        (metric: { type: string }) => metric.type,
      );
    expect(metricsOf(renderer.render(required))).to.deep.equal(['Resource']);
    expect(metricsOf(renderer.render(everything))).to.deep.equal(['Resource', 'External']);
  });

  it('brings the alerts, the dashboard, and the host of BASE_URL to where they belong', () => {
    const manifests = renderer.render(everything);
    expect(byName(manifests, 'PrometheusRule', 'test-qrelay')?.spec.groups).to.have.length.above(2);
    const dashboard = byName(manifests, 'ConfigMap', 'test-qrelay-dashboard')?.data?.['qrelay.json'] ?? '';
    expect(JSON.parse(dashboard)).to.include({ uid: 'qrelay' });
    expect(byName(manifests, 'Ingress', 'test-qrelay')?.spec.rules[0].host).to.equal('qr.example.com');
  });
});

function expectMounted({ spec }: Manifest): void {
  const { volumes = [], containers } = spec.template.spec;
  const names = [
    ...volumes,
    ...(spec.volumeClaimTemplates ?? []).map((claim: Manifest) => claim.metadata),
  ].map((volume: { name: string }) => volume.name);
  for (const { name } of containers[0].volumeMounts) expect(names).to.include(name);
}

function isSelected(selector: Record<string, string>, labels: Record<string, string> = {}): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
