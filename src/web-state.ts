import type { Spool } from './queue/spool.ts';
import type { Replica } from './store/replica.ts';
import type { WebMetrics } from './telemetry/web-metrics.ts';

/** What the operator pages show of a web process. */
export async function webState(
  spool: Spool,
  maxBytes: number,
  metrics: WebMetrics,
  replicas: readonly Replica[],
) {
  const { values } = await metrics.scansInMemory.get();
  return {
    spool: {
      bytes: spool.ownBytes(),
      maxBytes,
      isWritable: spool.isWritable(),
      scansInMemory: values[0]?.value ?? 0,
    },
    replicas: replicas.map(({ name, state, lagMs }) => ({ name, state: state(), lagMs: lagMs() })),
  };
}
