import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { addHistogram } from './histogram.ts';
import { addTally } from './tally.ts';

/** What is asked below `/r/`: a live code, counted or not, one of its files, or something that is not to be had. */
const shareOutcomes = [
  'counted',
  'head',
  'prefetch',
  'crawler',
  'image',
  'contact_file',
  'not_found',
  'expired',
  'blocked',
  'bad_method',
  'unavailable',
] as const;

/** Why a connection was closed by us although its client had not left. */
const cutReasons = ['pipelining', 'stalled', 'memory', 'unanswered', 'too_many'] as const;

/** Every metric of a web process but those that are read from its pool, its queue and Node. Made once, and passed to whoever counts. */
export function createWebMetrics(wantedProcesses = 1) {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  // Each tells of itself: the sum is how many answer.
  new Gauge({ name: 'qrelay_web_processes', help: 'Web processes that answer.', registers }).set(1);
  new Gauge({
    name: 'qrelay_web_processes_wanted',
    help: 'How many there should be: WEB_CONCURRENCY.',
    registers,
    aggregator: 'max',
  }).set(wantedProcesses);

  return {
    registry,
    shareAnswers: addTally(registry, {
      name: 'qrelay_share_answers_total',
      help: 'Answers at share addresses. A live code: counted as a scan, or why not (head, prefetch, crawler). Else: image, contact_file, not_found, expired, blocked, bad_method, unavailable.',
      label: 'outcome',
      values: shareOutcomes,
    }),
    shareSeconds: addHistogram(registry, {
      name: 'qrelay_share_answer_seconds',
      help: 'From the request for a live code to its redirect or page, the way of its scan into the queue or the spool included.',
      bounds: [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
    }),
    batchScans: addHistogram(registry, {
      name: 'qrelay_batch_scans',
      help: 'Scans in a batch that left for the queue or the spool.',
      bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    }),
    scansQueued: counter('qrelay_scans_queued_total', 'Scans that the queue took in time.'),
    scansSpooled: counter(
      'qrelay_scans_spooled_total',
      'Scans written to the spool because the queue did not take them in time.',
    ),
    scansReplayed: counter('qrelay_scans_replayed_total', 'Scans handed from the spool to the queue.'),
    scansDropped: counter(
      'qrelay_scans_dropped_total',
      'Scans lost: neither queue nor spool could take them.',
    ),
    scansInMemory: new Gauge({
      name: 'qrelay_scans_in_memory',
      help: 'Scans that neither the queue nor the disk took yet. They are lost where the process is killed.',
      registers,
    }),
    spoolTornLines: counter('qrelay_spool_torn_lines_total', 'Spool lines that a crash left half-written.'),
    connectionsCut: addTally(registry, {
      name: 'qrelay_connections_cut_total',
      help: 'Connections closed because of what their client did: pipelining (too many requests at once), stalled (did not read), memory (read too slowly while too much waited to be sent), too_many (idle, or its client kept us waiting, and its place was needed), or unanswered (by our own error).',
      label: 'reason',
      values: cutReasons,
    }),
    uncaughtErrors: counter(
      'qrelay_uncaught_errors_total',
      'Errors that only the last safety net caught: one request failed for it, and the process goes on.',
    ),
    requests: new Counter({
      name: 'qrelay_http_requests_total',
      help: 'Requests answered by the API and the pages; share addresses are not among them.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'qrelay_http_request_seconds',
      help: 'Time to answer a request of the API or the pages.',
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
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_spool_bytes',
      help: 'What the spool of a process, the fullest, holds for a queue that is slow or down. Files taken over from others are not in it.',
      registers: [],
      aggregator: 'max',
      collect() {
        this.set(spool.ownBytes());
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'qrelay_spool_writable',
      help: 'Whether the last write to DATA_DIR/spool succeeded. It is tried every 10 s where there is nothing to spool.',
      registers: [],
      aggregator: 'min',
      collect() {
        this.set(spool.isWritable() ? 1 : 0);
      },
    }),
  );
  new Gauge({
    name: 'qrelay_spool_max_bytes',
    help: 'What it may hold: SPOOL_MAX_MB.',
    registers: [registry],
    aggregator: 'max',
  }).set(maxBytes);
}
