import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Knex } from 'knex';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

const resolutionMs = 10;
const windowMs = 60_000;

/** What Node tells of the process. Once a process: it watches for as long as that lives. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let since = performance.now();
  // What Node measures is the time between two looks at the clock: the pause that was meant to be between them included.
  const lateSeconds = (ns: number) => Math.max(0, ns / 1e9 - resolutionMs / 1e3);
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_event_loop_delay_seconds',
      help: 'How late the event loop was in the last minute or more: median, 99 in 100, and the worst.',
      labelNames: ['quantile'],
      registers: [],
      aggregator: 'max',
      collect() {
        this.set({ quantile: '0.5' }, lateSeconds(delay.percentile(50)));
        this.set({ quantile: '0.99' }, lateSeconds(delay.percentile(99)));
        this.set({ quantile: '1' }, lateSeconds(delay.max));
        // Not each time: whoever else asks is to see the same minute.
        if (performance.now() - since < windowMs) return;
        delay.reset();
        since = performance.now();
      },
    }),
  );
}

/** The part of knex's pool that is looked at. */
interface Pool {
  max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

export function addPoolMetrics(registry: Registry, db: Knex): void {
  const pool = (db.client as { pool: Pool }).pool;
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_database_connections',
      help: 'Connections to the database: used, free (open and idle), and the most there may be.',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.set({ state: 'used' }, pool.numUsed());
        this.set({ state: 'free' }, pool.numFree());
        this.set({ state: 'max' }, pool.max);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_database_waiting',
      help: 'Statements that wait for a connection to the database.',
      registers: [],
      collect() {
        this.set(pool.numPendingAcquires());
      },
    }),
  );
}
