import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Knex } from 'knex';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { type Probe, startProbe } from '../runtime/probe.ts';
import type { Release } from '../runtime/release.ts';

const resolutionMs = 10;
const windowMs = 60_000;

/** Metrics of the Node process. Call once per process: the event loop monitor is never stopped. */
export function addProcessMetrics(registry: Registry, { version, commit = '' }: Release): void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'qrelay_build_info',
    help: 'Always 1. The labels have the version that runs, and the commit where it is known.',
    labelNames: ['version', 'commit'],
    registers: [registry],
    // All processes of a cluster run the same build.
    aggregator: 'max',
  }).set({ version, commit }, 1);
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let windowStart = performance.now();
  // Node's figure includes the sampling interval itself.
  const lateSeconds = (ns: number) => Math.max(0, ns / 1e9 - resolutionMs / 1e3);
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_event_loop_delay_seconds',
      help: 'Event loop delay over the last minute or more: median, 99th percentile and maximum.',
      labelNames: ['quantile'],
      registers: [],
      aggregator: 'max',
      collect() {
        this.set({ quantile: '0.5' }, lateSeconds(delay.percentile(50)));
        this.set({ quantile: '0.99' }, lateSeconds(delay.percentile(99)));
        this.set({ quantile: '1' }, lateSeconds(delay.max));
        // Not reset on each read, so that several scrapers see the same values.
        if (performance.now() - windowStart < windowMs) return;
        delay.reset();
        windowStart = performance.now();
      },
    }),
  );
}

/** The part of knex's pool that we read. */
interface Pool {
  max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** Of several pools, the sums. */
export function addPoolMetrics(registry: Registry, ...databases: Knex[]): void {
  const pools = databases.map(({ client }) => (client as { pool: Pool }).pool);
  const sum = (numberOf: (pool: Pool) => number) => pools.reduce((total, pool) => total + numberOf(pool), 0);
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_database_connections',
      help: 'Database connections of the pool: used, free (open and idle), and max.',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.set(
          { state: 'used' },
          sum((pool) => pool.numUsed()),
        );
        this.set(
          { state: 'free' },
          sum((pool) => pool.numFree()),
        );
        this.set(
          { state: 'max' },
          sum((pool) => pool.max),
        );
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_database_waiting',
      help: 'Statements that wait for a database connection.',
      registers: [],
      collect() {
        this.set(sum((pool) => pool.numPendingAcquires()));
      },
    }),
  );
}

/** Checks whether PostgreSQL responds, which the figures of the pool do not show. */
export function probeDatabase(registry: Registry, db: Knex): Probe {
  const probe = startProbe(async () => db.raw('SELECT 1'));
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_database_up',
      help: '1 if PostgreSQL answered within a second when it was checked last. Checked every second.',
      registers: [],
      aggregator: 'min',
      async collect() {
        this.set((await probe.latest()).ok ? 1 : 0);
      },
    }),
  );
  return probe;
}
