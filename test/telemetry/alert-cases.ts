/** Series as promtool's unit tests write them: `start+stepxcount`, a sample a minute. */
export type Series = Record<string, string>;

export interface AlertCase {
  /** Changes of the healthy series under which it fires; `_` takes a series away. */
  fires: Series;
  /** When it must fire, in minutes. */
  atMinute: number;
  /** Changes under which it must not fire at that time: just short of the case above. */
  silent: Series;
}

const web = 'job="qrelay-web",instance="a"';
const worker = 'job="qrelay-worker",instance="b"';
const minutes = 600;
const always = (value: number) => `${value}x${minutes}`;
const growing = (step: number) => `0+${step}x${minutes}`;
/** From minute 100 on. */
const jump = (from: number, to: number) => `${from}x100 ${to}x${minutes}`;

const recorded = `qrelay_scans_recorded_total{outcome="recorded",${worker}}`;
const counted = `qrelay_share_answers_total{outcome="counted",${web}}`;
const up = { web: `up{${web}}`, worker: `up{${worker}}` };
const processes = `qrelay_web_processes{${web}}`;
const ready = `qrelay_web_processes_ready{${web}}`;
const dropped = `qrelay_scans_dropped_total{${web}}`;
const queued = `qrelay_scans_queued_total{${web}}`;
const spooled = `qrelay_scans_spooled_total{${web}}`;
const torn = `qrelay_spool_torn_lines_total{${web}}`;
const spoolBytes = `qrelay_spool_bytes{${web}}`;
const resent = `qrelay_scans_resent_total{${web}}`;
const unjournaled = `qrelay_scans_unjournaled_total{${web}}`;
const journalOldest = `qrelay_journal_oldest_seconds{${web}}`;
const dead = `qrelay_scans_recorded_total{outcome="dead",${worker}}`;
const deleted = `qrelay_scans_recorded_total{outcome="code_deleted",${worker}}`;
const missing = `qrelay_scans_audited_total{outcome="missing",${worker}}`;
const inMemory = `qrelay_scans_in_memory{${web}}`;
const spoolWritable = `qrelay_spool_writable{${web}}`;
const redirectsWithin = (le: string) => `qrelay_share_answer_seconds_bucket{le="${le}",${web}}`;
const unavailable = `qrelay_share_answers_total{outcome="unavailable",${web}}`;
const databaseUp = { web: `qrelay_database_up{${web}}`, worker: `qrelay_database_up{${worker}}` };
const queueUp = `qrelay_queue_up{${web}}`;
const oldestJob = (queue = 'scans') => `qrelay_queue_oldest_job_seconds{queue="${queue}",${web}}`;
const jobs = (state: string, queue = 'scans') =>
  `qrelay_queue_jobs{queue="${queue}",state="${state}",${web}}`;
const outcomes = ['done', 'put_back', 'failed'];
const workerJobs = (outcome: string, queue = 'scans') =>
  `qrelay_worker_jobs_total{queue="${queue}",outcome="${outcome}",${worker}}`;
const requests = (status: number) => `qrelay_http_requests_total{status="${status}",${web}}`;
const late = `qrelay_event_loop_delay_seconds{quantile="0.99",${web}}`;
const waiting = `qrelay_database_waiting{${web}}`;
const replicas = (state: string) => `qrelay_replicas{state="${state}",${web}}`;
export const geoAge = (source: 'bundled' | 'file') =>
  `qrelay_geo_data_age_seconds{source="${source}",${worker}}`;

const webhookCalls = (outcome: string) => `qrelay_webhook_calls_total{outcome="${outcome}",${worker}}`;
const webhooksLate = `qrelay_webhook_late_seconds{${worker}}`;
const webhookEndpoints = (state: string) => `qrelay_webhook_endpoints{state="${state}",${worker}}`;
const partitionsEnd = `qrelay_scan_partitions_end_timestamp_seconds{${worker}}`;
/** The clock of the tests starts at 0. */
const twentyDays = 20 * 86_400;

/** Ten hours of a service that is well and has 60 scans a minute. */
export const healthy: Series = {
  [up.web]: always(1),
  [up.worker]: always(1),
  [processes]: always(2),
  [`qrelay_web_processes_wanted{${web}}`]: always(2),
  [ready]: always(2),
  [counted]: growing(60),
  [unavailable]: always(0),
  [dropped]: always(0),
  [queued]: growing(60),
  [spooled]: always(0),
  [torn]: always(0),
  [spoolBytes]: always(0),
  [`qrelay_spool_max_bytes{${web}}`]: always(100),
  [resent]: always(0),
  [unjournaled]: always(0),
  [journalOldest]: always(8),
  [redirectsWithin('0.1')]: growing(60),
  [redirectsWithin('0.2')]: growing(60),
  [redirectsWithin('+Inf')]: growing(60),
  [databaseUp.web]: always(1),
  [databaseUp.worker]: always(1),
  [queueUp]: always(1),
  [oldestJob()]: always(0),
  [jobs('waiting')]: always(0),
  [jobs('active')]: always(1),
  [jobs('failed')]: always(0),
  // Once in ten minutes, and caught by a scrape once while it waited.
  [oldestJob('housekeeping')]: always(0),
  [jobs('waiting', 'housekeeping')]: `0x50 1 0x${minutes}`,
  [jobs('active', 'housekeeping')]: always(0),
  [jobs('scheduled', 'housekeeping')]: always(1),
  [jobs('failed', 'housekeeping')]: always(0),
  [workerJobs('done', 'housekeeping')]: growing(0.1),
  [workerJobs('put_back', 'housekeeping')]: always(0),
  [workerJobs('failed', 'housekeeping')]: always(0),
  [requests(200)]: growing(100),
  [requests(500)]: always(0),
  [late]: always(0.01),
  [waiting]: always(0),
  [replicas('usable')]: always(1),
  [replicas('lagging')]: always(0),
  [replicas('primary')]: always(1),
  [recorded]: growing(60),
  [deleted]: always(0),
  [dead]: always(0),
  [missing]: always(0),
  [inMemory]: always(0),
  [spoolWritable]: always(1),
  [workerJobs('done')]: growing(30),
  [workerJobs('put_back')]: always(0),
  [workerJobs('failed')]: always(0),
  // One endpoint of two fails.
  [webhookCalls('delivered')]: growing(10),
  [webhookCalls('failed')]: growing(1),
  [webhookCalls('gone')]: always(0),
  [webhooksLate]: always(0.4),
  [webhookEndpoints('working')]: always(1),
  [webhookEndpoints('failing')]: always(1),
  [geoAge('bundled')]: always(86_400),
  [partitionsEnd]: always(90 * 86_400),
};

/** What makes each alert fire, and what is just not enough. */
export const alertCases: Record<string, AlertCase> = {
  QrelayInstanceDown: {
    fires: { [up.worker]: jump(1, 0) },
    atMinute: 103,
    silent: { [up.worker]: `1x100 0 1x${minutes}`, 'up{job="other",instance="c"}': always(0) },
  },
  QrelayWebAway: {
    fires: { [processes]: `2x100 _x${minutes}` },
    atMinute: 110,
    silent: { [processes]: jump(2, 0) },
  },
  QrelayWebNotReady: {
    fires: { [ready]: jump(2, 0) },
    atMinute: 102,
    silent: { [ready]: jump(2, 1) },
  },
  QrelayWebProcessMissing: {
    fires: { [processes]: jump(2, 1) },
    atMinute: 104,
    silent: { [processes]: `2x100 1 2x${minutes}` },
  },
  QrelayWorkerAway: {
    fires: Object.fromEntries(
      ['scans', 'housekeeping'].flatMap((queue) =>
        outcomes.map((outcome) => [workerJobs(outcome, queue), `0x100 _x${minutes}`]),
      ),
    ),
    atMinute: 115,
    silent: { [workerJobs('done')]: `0x100 _x${minutes}` },
  },
  QrelayScansDropped: {
    fires: { [dropped]: jump(0, 3) },
    atMinute: 102,
    silent: { [dropped]: always(3) },
  },
  QrelaySpoolFilling: {
    fires: { [spoolBytes]: jump(0, 51) },
    atMinute: 107,
    silent: { [spoolBytes]: jump(0, 50) },
  },
  QrelayQueueLostScans: {
    fires: { [resent]: jump(0, 1) },
    atMinute: 102,
    silent: { [resent]: always(1) },
  },
  QrelayScansUnjournaled: {
    fires: { [unjournaled]: `0x100 1+5x${minutes}` },
    atMinute: 112,
    silent: { [unjournaled]: jump(0, 50) },
  },
  QrelayJournalBehind: {
    fires: { [journalOldest]: jump(8, 901) },
    atMinute: 112,
    silent: { [journalOldest]: jump(8, 901), [oldestJob()]: jump(0, 300) },
  },
  QrelayScansSpooled: {
    fires: { [spooled]: `0x100 0+7x${minutes}` },
    atMinute: 116,
    // A busy machine: one scan in twenty misses the deadline all day.
    silent: { [spooled]: growing(3) },
  },
  QrelaySpoolTorn: {
    fires: { [torn]: jump(0, 1) },
    atMinute: 102,
    silent: { [torn]: always(1) },
  },
  QrelayScansMissing: {
    fires: { [missing]: jump(0, 1) },
    atMinute: 102,
    silent: { [missing]: always(1) },
  },
  QrelayScansInMemory: {
    fires: { [inMemory]: jump(0, 1) },
    atMinute: 101,
    silent: { [inMemory]: `0x50 1 0x${minutes}` },
  },
  QrelaySpoolUnwritable: {
    fires: { [spoolWritable]: jump(1, 0) },
    atMinute: 103,
    silent: { [spoolWritable]: `1x102 0 1x${minutes}` },
  },
  QrelayScansDead: {
    fires: { [dead]: jump(0, 1) },
    atMinute: 102,
    silent: { [dead]: always(1) },
  },
  QrelayScansUnaccounted: {
    // 2 in 100 vanish: the worker reports success, and no counter has them.
    fires: { [counted]: growing(100), [recorded]: growing(98) },
    atMinute: 450,
    silent: {
      // Every fifth is of a deleted code, every fifth is put aside, and the worker was restarted.
      [counted]: growing(100),
      [recorded]: `0+60x300 0+60x${minutes}`,
      [deleted]: growing(20),
      [dead]: growing(20),
    },
  },
  QrelayRedirectsSlow: {
    fires: { [redirectsWithin('0.1')]: growing(55), [redirectsWithin('0.2')]: growing(60) },
    atMinute: 30,
    silent: { [redirectsWithin('0.1')]: growing(59.5) },
  },
  QrelayShareAddressesUnavailable: {
    fires: { [unavailable]: `0x100 1+1x${minutes}` },
    atMinute: 104,
    // A blip, two minutes before.
    silent: { [unavailable]: `0x101 500x${minutes}` },
  },
  QrelayDatabaseDown: {
    fires: { [databaseUp.worker]: jump(1, 0) },
    atMinute: 102,
    silent: { [databaseUp.web]: `1x101 0 1x${minutes}`, [databaseUp.worker]: `1x101 0 1x${minutes}` },
  },
  QrelayQueueDown: {
    fires: { [queueUp]: jump(1, 0) },
    atMinute: 103,
    silent: { [queueUp]: `1x100 0 1x${minutes}` },
  },
  QrelayQueueBehind: {
    fires: { [oldestJob('housekeeping')]: jump(0, 301) },
    atMinute: 106,
    silent: { [oldestJob()]: jump(0, 300), [oldestJob('housekeeping')]: jump(0, 300) },
  },
  QrelayJobsFailed: {
    fires: { [jobs('failed', 'housekeeping')]: jump(0, 1) },
    atMinute: 106,
    silent: { [jobs('delayed')]: jump(0, 9) },
  },
  QrelayJobAttemptsFailing: {
    fires: { [workerJobs('failed', 'housekeeping')]: jump(0, 1) },
    atMinute: 102,
    silent: { [workerJobs('failed')]: always(1) },
  },
  QrelayJobsPutBack: {
    fires: { [workerJobs('put_back')]: `0x100 1+1x${minutes}` },
    atMinute: 108,
    silent: { [workerJobs('put_back')]: jump(0, 1) },
  },
  QrelayNoWorker: {
    // Jobs of another queue are done meanwhile.
    fires: { [workerJobs('done')]: always(5), [jobs('waiting')]: jump(0, 2) },
    atMinute: 106,
    // Nothing waits in one queue, and nothing is done in it; in the other, jobs wait and are done.
    silent: { [workerJobs('done', 'housekeeping')]: always(5), [jobs('waiting')]: jump(0, 2) },
  },
  QrelayErrors: {
    fires: { [requests(500)]: growing(3) },
    atMinute: 20,
    silent: { [requests(500)]: growing(2) },
  },
  QrelayEventLoopLate: {
    fires: { [late]: jump(0.01, 0.21) },
    atMinute: 111,
    silent: { [late]: jump(0.01, 0.2) },
  },
  QrelayDatabasePoolWaiting: {
    fires: { [waiting]: jump(0, 6) },
    atMinute: 106,
    silent: { [waiting]: jump(0, 5) },
  },
  QrelayReplicaUnused: {
    fires: { [replicas('usable')]: jump(1, 0), [replicas('lagging')]: jump(0, 1) },
    atMinute: 111,
    silent: {
      [replicas('usable')]: `1x100 0x8 1x${minutes}`,
      [replicas('lagging')]: `0x100 1x8 0x${minutes}`,
    },
  },
  QrelayPartitionsEnding: {
    fires: { [partitionsEnd]: always(twentyDays) },
    atMinute: 61,
    silent: { [partitionsEnd]: always(twentyDays + 61 * 60) },
  },
  QrelayWebhooksLate: {
    fires: { [webhooksLate]: always(301) },
    atMinute: 6,
    silent: { [webhooksLate]: always(300) },
  },
  QrelayWebhooksFailing: {
    fires: { [webhookCalls('failed')]: growing(91), [webhookEndpoints('failing')]: always(3) },
    atMinute: 31,
    silent: { [webhookCalls('failed')]: growing(91), [webhookEndpoints('failing')]: always(2) },
  },
  QrelayGeoDataOld: {
    fires: { [geoAge('bundled')]: always(2 * 365 * 86_400 + 1) },
    atMinute: 61,
    silent: { [geoAge('bundled')]: always(2 * 365 * 86_400) },
  },
};

/** Where the reconciliation must stay silent although counted and recorded differ: something else explains it. */
export const explainedDifferences: Record<string, Series> = {
  'the queue is behind': { [oldestJob()]: jump(0, 60) },
  'scans wait in the spool': { [spoolBytes]: jump(0, 1) },
  'jobs were given up and are kept': { [jobs('failed')]: jump(0, 1) },
  'scans were dropped, which has an alert of its own': { [dropped]: growing(2) },
};

/** Where the reconciliation must fire all the same: jobs of other queues explain no missing scan. */
export const unrelatedJobs: Series = {
  [oldestJob('housekeeping')]: jump(0, 60),
  [jobs('failed', 'housekeeping')]: jump(0, 1),
};
