import { Gauge, type Registry } from 'prom-client';
import { type Replica, replicaStates } from '../store/replica.ts';

/** Exported as zeros where there are no replicas. */
export function addReplicaMetrics(registry: Registry, replicas: readonly Replica[]): void {
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_replicas',
      help: 'Replicas of DATABASE_REPLICA_URL by state, as each web process sees them: usable, lagging (2 s or more behind), unreachable, primary (not a replica), foreign (of another cluster).',
      labelNames: ['state'],
      registers: [],
      collect() {
        for (const state of replicaStates) {
          this.set({ state }, replicas.filter((replica) => replica.state() === state).length);
        }
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_replica_lag_seconds',
      help: 'How far the replica that is furthest behind may be behind the primary. Grows while it cannot be measured.',
      registers: [],
      aggregator: 'max',
      collect() {
        const replicated = replicas.filter((replica) => replica.state() !== 'primary');
        this.set(Math.max(0, ...replicated.map((replica) => replica.lagMs() / 1_000)));
      },
    }),
  );
}
