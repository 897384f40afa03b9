import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Knex } from 'knex';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { type Probe, startProbe } from '../runtime/probe.ts';
import type { Release } from '../runtime/release.ts';
import { addGauge } from './scraped-metrics.ts';

/** Each sample wakes the process up. A delay that is shorter than this is found as often as it fills the interval. */
const resolutionMs = 200;
const windowMs = 60_000;

/** Metrics of the Node process. Call once per process: the event loop monitor is never stopped. */
export function addProcessMetrics(registry: Registry, { version, commit = '' }: Release): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: resolutionMs });
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
  addGauge(
    registry,
    'qrelay_event_loop_delay_seconds',
    'Event loop delay over the last minute or more: median, 99th percentile and maximum.',
    () => {
      const [median, high, longest] = [delay.percentile(50), delay.percentile(99), delay.max].map(
        lateSeconds,
      );
      // Not reset on each read, so that several scrapers see the same values.
      if (performance.now() - windowStart >= windowMs) {
        delay.reset();
        windowStart = performance.now();
      }
      return [
        [{ quantile: '0.5' }, median ?? 0],
        [{ quantile: '0.99' }, high ?? 0],
        [{ quantile: '1' }, longest ?? 0],
      ];
    },
    { labels: ['quantile'], aggregator: 'max' },
  );
}

/** The part of knex's pool that we read. */
interface Pool {
  max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** Adds up the figures of several pools. */
export function addPoolMetrics(registry: Registry, ...databases: Knex[]): void {
  const pools = databases.map(({ client }) => (client as { pool: Pool }).pool);
  const sum = (numberOf: (pool: Pool) => number) => pools.reduce((total, pool) => total + numberOf(pool), 0);
  addGauge(
    registry,
    'qrelay_database_connections',
    'Database connections of the pool: used, free (open and idle), and max.',
    () => [
      [{ state: 'used' }, sum((pool) => pool.numUsed())],
      [{ state: 'free' }, sum((pool) => pool.numFree())],
      [{ state: 'max' }, sum((pool) => pool.max)],
    ],
    { labels: ['state'] },
  );
  addGauge(registry, 'qrelay_database_waiting', 'Statements that wait for a database connection.', () =>
    sum((pool) => pool.numPendingAcquires()),
  );
}

/** Checks whether PostgreSQL responds, which the figures of the pool do not show. */
export function probeDatabase(registry: Registry, db: Knex): Probe {
  const probe = startProbe(async () => db.raw('SELECT 1'));
  addGauge(
    registry,
    'qrelay_database_up',
    '1 if PostgreSQL answered within a second when it was checked last. Checked every second while somebody reads it.',
    async () => ((await probe.latest()).ok ? 1 : 0),
    { aggregator: 'min' },
  );
  return probe;
}
