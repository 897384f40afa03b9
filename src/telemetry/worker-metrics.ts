import { Gauge, Registry } from 'prom-client';
import { addHistogram } from './histogram.ts';
import { addTally } from './tally.ts';

/** Every metric of a worker process but those that are read from its pool and Node. Made once, and passed to whoever counts. */
export function createWorkerMetrics() {
  const registry = new Registry();
  return {
    registry,
    scansRecorded: addTally(registry, {
      name: 'qrelay_scans_recorded_total',
      help: 'Scans that a worker took: recorded, delivered before, of a deleted code, or dead (refused by the database).',
      label: 'outcome',
      values: ['recorded', 'delivered_before', 'code_deleted', 'dead'],
    }),
    scansAudited: addTally(registry, {
      name: 'qrelay_scans_audited_total',
      help: 'Recorded scans that were looked up again: found, or missing in the database.',
      label: 'outcome',
      values: ['found', 'missing'],
    }),
    jobs: addTally(registry, {
      name: 'qrelay_worker_jobs_total',
      help: 'Jobs that a worker took: done, put back because the database did not answer, or failed and tried again.',
      label: 'outcome',
      values: ['done', 'put_back', 'failed'],
    }),
    jobScans: addHistogram(registry, {
      name: 'qrelay_worker_job_scans',
      help: 'Scans in a job.',
      bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    }),
    jobSeconds: addHistogram(registry, {
      name: 'qrelay_worker_job_seconds',
      help: 'Time to enrich and record the scans of a job.',
      bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    }),
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

export function addGeoMetrics(registry: Registry, madeAt: Date, nowMs: () => number): void {
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_geo_data_age_seconds',
      help: 'Age of the map of addresses to places.',
      registers: [],
      collect() {
        this.set(Math.round((nowMs() - madeAt.getTime()) / 1000));
      },
    }),
  );
}
