import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { withTimeout } from '../runtime/timeout.ts';
import { addGauge, addTally, cached } from './scraped-metrics.ts';

const jobOutcomes = ['done', 'put_back', 'failed'] as const;
export type JobOutcome = (typeof jobOutcomes)[number];

/** All metrics of a worker process except those read from its database pool and Node. */
export function createWorkerMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const jobs = new Counter({
    name: 'qrelay_worker_jobs_total',
    help: 'Attempts to do a job, by queue: done, put_back (the work could not be done now), or failed.',
    labelNames: ['queue', 'outcome'],
    registers,
  });
  return {
    registry,
    /** Every outcome of the queue is exported from now on, as 0. */
    countJobs(queue: string): (outcome: JobOutcome) => void {
      for (const outcome of jobOutcomes) jobs.inc({ queue, outcome }, 0);
      return (outcome) => jobs.inc({ queue, outcome });
    },
    /** Attempts that failed, in all queues. */
    async countFailedJobs(): Promise<number> {
      const { values } = await jobs.get();
      return values.reduce((sum, { labels, value }) => sum + (labels.outcome === 'failed' ? value : 0), 0);
    },
    recordingLag: createRecordingLag(),
    scansRecorded: addTally(registry, {
      name: 'qrelay_scans_recorded_total',
      help: 'Scans handled by a worker: recorded, delivered_before, code_deleted, or dead (refused by the database).',
      label: 'outcome',
      values: ['recorded', 'delivered_before', 'code_deleted', 'dead'],
    }),
    scansAudited: addTally(registry, {
      name: 'qrelay_scans_audited_total',
      help: 'Recorded scans that were looked up again: found or missing in the database.',
      label: 'outcome',
      values: ['found', 'missing'],
    }),
    webhookCalls: addTally(registry, {
      name: 'qrelay_webhook_calls_total',
      help: 'Calls of webhook endpoints: delivered (2xx), failed (repeated later), or gone (410).',
      label: 'outcome',
      values: ['delivered', 'failed', 'gone'],
    }),
    jobScans: new Histogram({
      name: 'qrelay_worker_job_scans',
      help: 'Scans per job of the queue scans.',
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'qrelay_worker_job_seconds',
      help: 'Time to enrich and record the scans of a job.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers,
    }),
    stepFailures: new Counter({
      name: 'qrelay_job_step_failures_total',
      help: 'Steps of jobs that repeat, such as housekeeping, that failed or were not finished; the other steps were done.',
      labelNames: ['queue', 'step'],
      registers,
    }),
    partitionsEnd: new Gauge({
      name: 'qrelay_scan_partitions_end_timestamp_seconds',
      help: 'End of the last month that has a partition for its scans. 0 in a worker that has not checked yet.',
      registers,
    }),
  };
}

/** The time from a redirect until its scan is recorded. Never below 0, though the clocks of two machines may differ. */
function createRecordingLag() {
  let longestMs: number | undefined;
  let sumMs = 0;
  return {
    note(scans: { scannedAt: Date }[], nowMs: number): void {
      for (const { scannedAt } of scans) {
        const lagMs = Math.max(0, nowMs - scannedAt.getTime());
        sumMs += lagMs;
        longestMs = Math.max(longestMs ?? 0, lagMs);
      }
    },
    /** Sum over all scans since the start. */
    sumMs: () => sumMs,
    /** Since the previous call. */
    takeLongestMs(): number | undefined {
      const taken = longestMs;
      longestMs = undefined;
      return taken;
    },
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

interface GeoData {
  source: 'file' | 'bundled';
  madeAt(): Date | undefined;
}

/** Read at each scrape: the data may be replaced while the worker runs. */
export function addGeoMetrics(registry: Registry, data: GeoData, nowMs: () => number): void {
  addGauge(
    registry,
    'qrelay_geo_data_age_seconds',
    'Age of the IP geolocation data, by its source: file (GEO_DATABASE) or bundled.',
    () => {
      const madeAt = data.madeAt();
      return madeAt && [[{ source: data.source }, Math.round((nowMs() - madeAt.getTime()) / 1000)]];
    },
    { labels: ['source'] },
  );
}

const timeoutMs = 1_000;
const cacheMs = 10_000;

const endpointStates = ['working', 'failing', 'disabled', 'off'] as const;

interface WebhookFigures {
  waiting: number;
  lateSeconds: number;
  endpoints: Record<(typeof endpointStates)[number], number>;
}

/** Read from the database, so every worker reports the same. Absent while it does not respond. */
export function addWebhookMetrics(registry: Registry, read: () => Promise<WebhookFigures>): void {
  const readAll = cached(() => withTimeout(timeoutMs, read()).catch(() => undefined), cacheMs);
  addGauge(
    registry,
    'qrelay_webhook_events_waiting',
    'Deliveries that wait, and groups of scans that are in none yet; up to 100,000 of each are counted.',
    async () => (await readAll())?.waiting,
  );
  addGauge(
    registry,
    'qrelay_webhook_late_seconds',
    'How long ago the oldest event that waits for an endpoint that works should have been sent, except scans.',
    async () => (await readAll())?.lateSeconds,
  );
  addGauge(
    registry,
    'qrelay_webhook_endpoints',
    'Webhook endpoints: working, failing, disabled (it failed for three days, or is gone), off (by its owner).',
    async () => {
      const figures = await readAll();
      return figures && endpointStates.map((state) => [{ state }, figures.endpoints[state]]);
    },
    { labels: ['state'] },
  );
}

/** Totals since the process started, which the operator pages show as rates. */
export async function countWorker(metrics: WorkerMetrics): Promise<Record<string, number>> {
  const { recorded, dead } = metrics.scansRecorded;
  return {
    recorded,
    lagMs: metrics.recordingLag.sumMs(),
    errors: dead + (await metrics.countFailedJobs()),
  };
}
