import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Probe } from '../runtime/probe.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { addGauge, addHistogram, addTally, cached } from './scraped-metrics.ts';

/** Outcomes of requests below `/r/` and `/f/`: a live code (counted or not), one of its files, or an error. */
const shareOutcomes = [
  'counted',
  'head',
  'prefetch',
  'crawler',
  'image',
  'contact_file',
  'file',
  'not_found',
  'expired',
  'after_expiry',
  'blocked',
  'bad_method',
  'unavailable',
  'limited',
] as const;

/** What answered a lookup of a share link that was not cached, or not any more. */
const lookupAnswers = ['primary', 'replica', 'disk', 'none'] as const;

/** What served a read that a replica may serve. */
export const readServers = [
  'replica',
  'primary_after_change',
  'primary_no_replica',
  'primary_after_error',
] as const;

export type ReadServer = (typeof readServers)[number];

/** `primary`: it was promoted, or is listed as a replica by mistake. `foreign`: it belongs to another cluster. */
const replicaStates = ['usable', 'lagging', 'unreachable', 'primary', 'foreign'] as const;

export type ReplicaState = (typeof replicaStates)[number];

/** Why the server closed a connection that the client had not closed. */
const cutReasons = ['pipelining', 'stalled', 'memory', 'unanswered', 'too_many'] as const;

/** All metrics of a web process except those read from its database pool, its queue, its spool and Node. */
export function createWebMetrics(wantedProcesses = 1) {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  // Each process reports 1; the sum is the number of processes that respond.
  new Gauge({ name: 'qrelay_web_processes', help: 'Web processes that respond.', registers }).set(1);
  new Gauge({
    name: 'qrelay_web_processes_wanted',
    help: 'Web processes that should run: WEB_CONCURRENCY.',
    registers,
    aggregator: 'max',
  }).set(wantedProcesses);

  const queueSeconds = addHistogram(registry, {
    name: 'qrelay_queue_round_trip_seconds',
    help: 'Time until the queue acknowledged a batch of scans, or the small write that checks it every second.',
    bounds: [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
  });

  return {
    registry,
    processesReady: new Gauge({
      name: 'qrelay_web_processes_ready',
      help: 'Web processes that take requests: /readyz answers 200.',
      registers,
    }),
    shareAnswers: addTally(registry, {
      name: 'qrelay_share_answers_total',
      help: 'Responses at share links. A live code: counted as a scan, or why not (head, prefetch, crawler). Otherwise: image, contact_file, file, not_found, expired, after_expiry (redirected to the address for the time after the end), blocked, bad_method, unavailable, limited (the client asked for too many unknown links).',
      label: 'outcome',
      values: shareOutcomes,
    }),
    shareSeconds: addHistogram(registry, {
      name: 'qrelay_share_answer_seconds',
      help: 'Time to respond to a request for a live code, including the time until its scan is in the queue or the spool.',
      bounds: [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
    }),
    batchScans: addHistogram(registry, {
      name: 'qrelay_batch_scans',
      help: 'Scans per batch sent to the queue or the spool.',
      bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    }),
    queueRoundTrip: (ms: number) => queueSeconds.observe(ms / 1_000),
    scansQueued: counter('qrelay_scans_queued_total', 'Scans that the queue accepted in time.'),
    scansSpooled: counter(
      'qrelay_scans_spooled_total',
      'Scans written to the spool because the queue did not accept them in time.',
    ),
    scansReplayed: counter('qrelay_scans_replayed_total', 'Scans moved from the spool to the queue.'),
    scansDropped: counter(
      'qrelay_scans_dropped_total',
      'Scans lost because neither the queue nor the spool accepted them.',
    ),
    scansInMemory: new Gauge({
      name: 'qrelay_scans_in_memory',
      help: 'Scans that neither the queue nor the spool has accepted yet. They are lost if the process is killed.',
      registers,
    }),
    spoolTornLines: counter('qrelay_spool_torn_lines_total', 'Spool lines left incomplete by a crash.'),
    connectionsCut: addTally(registry, {
      name: 'qrelay_connections_cut_total',
      help: 'Connections closed by the server: pipelining (too many requests at once), stalled (the client did not read), memory (the client read too slowly while too much was unsent), too_many (idle or waiting for the client when MAX_CONNECTIONS was reached), unanswered (no response because of a bug).',
      label: 'reason',
      values: cutReasons,
    }),
    reads: addTally(registry, {
      name: 'qrelay_reads_total',
      help: 'Reads that a replica may serve, where there are replicas: served by a replica, or by the primary after a change of the same account, because no replica was usable, or after an error of the replica.',
      label: 'served_by',
      values: readServers,
    }),
    targetLookups: addTally(registry, {
      name: 'qrelay_target_lookups_total',
      help: 'Lookups of share links that were not cached, or not any more, by what answered them: the primary, or while it is down a replica, the disk, or none.',
      label: 'answered_by',
      values: lookupAnswers,
    }),
    uncaughtErrors: counter(
      'qrelay_uncaught_errors_total',
      'Uncaught errors. One request failed; the process keeps running.',
    ),
    requests: new Counter({
      name: 'qrelay_http_requests_total',
      help: 'Requests to the API and the pages, without share links.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'qrelay_http_request_seconds',
      help: 'Time to respond to a request to the API or the pages.',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
  };
}

export type WebMetrics = ReturnType<typeof createWebMetrics>;

interface SpoolState {
  ownBytes(): number;
  isWritable(): boolean;
}

export function addSpoolMetrics(registry: Registry, spool: SpoolState, maxBytes: number): void {
  addGauge(
    registry,
    'qrelay_spool_bytes',
    'Size of the spool of the web process whose spool is fullest. Files adopted from other processes do not count.',
    () => spool.ownBytes(),
    { aggregator: 'max' },
  );
  addGauge(
    registry,
    'qrelay_spool_writable',
    '1 if the last write to DATA_DIR/spool succeeded. Tested every 10 s while there is nothing to spool.',
    () => (spool.isWritable() ? 1 : 0),
    { aggregator: 'min' },
  );
  addGauge(registry, 'qrelay_spool_max_bytes', 'Maximum size of the spool: SPOOL_MAX_MB.', () => maxBytes, {
    aggregator: 'max',
  });
}

const timeoutMs = 1_000;
/** However often metrics are scraped, the queues are read no more often than this. */
const cacheMs = 3_000;

const states = ['waiting', 'active', 'delayed', 'scheduled', 'failed'] as const;

interface QueueFigures {
  queue: string;
  jobs: Record<(typeof states)[number], number>;
  oldestWaitingMs: number;
}

/** How full each queue is. Exposed by the web processes, because it matters most when there is no worker. */
export function addQueueMetrics(
  registry: Registry,
  { depths }: { depths(): Promise<QueueFigures[]> },
  writes: Pick<Probe, 'latest'>,
): void {
  // Read together, so that all metrics of a scrape are of the same time.
  const readAll = cached(async () => {
    const queues = await withTimeout(timeoutMs, depths()).catch(() => undefined);
    return { queues, takesWrites: (await writes.latest()).ok };
  }, cacheMs);
  // While queues do not respond, their metrics are absent.
  const read = async () => (await readAll()).queues ?? [];
  // Each web process reports the same queues: their values must not be added up.
  const aggregator = 'max';
  addGauge(
    registry,
    'qrelay_queue_up',
    'Whether every queue responds and takes writes. The other metrics of a queue that does not respond are absent.',
    async () => {
      const { queues, takesWrites } = await readAll();
      return queues && takesWrites ? 1 : 0;
    },
    { aggregator: 'min' },
  );
  addGauge(
    registry,
    'qrelay_queue_jobs',
    'Jobs in a queue: waiting, active, delayed (tried again later), scheduled (not due yet), failed (kept for an operator).',
    async () =>
      (await read()).flatMap(({ queue, jobs }) => states.map((state) => [{ queue, state }, jobs[state]])),
    { labels: ['queue', 'state'], aggregator },
  );
  addGauge(
    registry,
    'qrelay_queue_oldest_job_seconds',
    'How long the oldest job of a queue has waited for a worker; 0 when none waits.',
    async () => (await read()).map(({ queue, oldestWaitingMs }) => [{ queue }, oldestWaitingMs / 1000]),
    { labels: ['queue'], aggregator },
  );
}

interface JournalFigures {
  bytes: number;
  oldestMs: number;
  unjournaledScans: number;
  resentScans: number;
}

/** Without a journal, all of them are 0. */
export function addJournalMetrics(registry: Registry, read: () => JournalFigures | undefined): void {
  const figure = (name: keyof JournalFigures) => read()?.[name] ?? 0;
  const gauge = (name: string, help: string, value: () => number) =>
    addGauge(registry, name, help, value, { aggregator: 'max' });
  const counter = (name: string, help: string, value: () => number) =>
    registry.registerMetric(
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset();
          this.inc(value());
        },
      }),
    );
  gauge(
    'qrelay_journal_bytes',
    'Size of the journal of the web process whose journal is largest. Its limit is that of the spool.',
    () => figure('bytes'),
  );
  gauge(
    'qrelay_journal_oldest_seconds',
    'How long the oldest batch of the journal has not been recorded; 0 if there is none.',
    () => figure('oldestMs') / 1000,
  );
  counter(
    'qrelay_scans_unjournaled_total',
    'Scans that are only in the queue, because the journal was full or could not be written.',
    () => figure('unjournaledScans'),
  );
  counter(
    'qrelay_scans_resent_total',
    'Scans that the queue had lost and that were sent again from the journal.',
    () => figure('resentScans'),
  );
}

/** Exported as zeros where there are no replicas. */
export function addReplicaMetrics(
  registry: Registry,
  replicas: readonly { state(): ReplicaState; lagMs(): number }[],
): void {
  addGauge(
    registry,
    'qrelay_replicas',
    'Replicas of DATABASE_REPLICA_URL by state, as each web process sees them: usable, lagging (2 s or more behind), unreachable, primary (not a replica), foreign (of another cluster).',
    () =>
      replicaStates.map((state) => [
        { state },
        replicas.filter((replica) => replica.state() === state).length,
      ]),
    { labels: ['state'] },
  );
  addGauge(
    registry,
    'qrelay_replica_lag_seconds',
    'How far the replica that is furthest behind may be behind the primary. Grows while it cannot be measured.',
    () => {
      const replicated = replicas.filter((replica) => replica.state() !== 'primary');
      return Math.max(0, ...replicated.map((replica) => replica.lagMs() / 1_000));
    },
    { aggregator: 'max' },
  );
}

/** Totals since the process started, which the operator pages show as rates. */
export async function countWeb(metrics: WebMetrics): Promise<Record<string, number>> {
  const { counted, head, prefetch, crawler, unavailable } = metrics.shareAnswers;
  const [requests, spooled, dropped, uncaught] = await Promise.all(
    [metrics.requests, metrics.scansSpooled, metrics.scansDropped, metrics.uncaughtErrors].map((metric) =>
      metric.get(),
    ),
  );
  const counts = {
    redirects: counted + head + prefetch + crawler,
    apiRequests: 0,
    pageRequests: 0,
    errors: unavailable + sum(uncaught),
    spooled: sum(spooled),
    dropped: sum(dropped),
  };
  for (const { labels, value } of requests?.values ?? []) {
    if (String(labels.route).startsWith('/api/')) counts.apiRequests += value;
    else counts.pageRequests += value;
    if (Number(labels.status) >= 500) counts.errors += value;
  }
  return counts;
}

function sum(metric: { values: { value: number }[] } | undefined): number {
  return (metric?.values ?? []).reduce((total, { value }) => total + value, 0);
}
