import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { currentRelease, releaseName } from '../runtime/release.ts';
import { withTimeout } from '../runtime/timeout.ts';
import { hourMs } from '../runtime/units.ts';
import type { Log, LoggedError, RecentErrors } from '../telemetry/log.ts';
import type { Database } from './database.ts';

/** A process reports this often. */
const reportEveryMs = 10_000;
/** A process that has not reported for this long hangs, was killed, or cannot reach the database. */
const silentAfterMs = 3 * reportEveryMs + 5_000;
const sampleHours = 1;
/** A process that has ended is listed for this long, with its last errors. */
const endedHours = 24;
const minutesShown = 60;

type ProcessKind = 'web' | 'worker';

/** What a process says about itself now. Only web processes have a spool and replicas. */
interface ProcessState {
  memoryBytes: number;
  spool?: { bytes: number; maxBytes: number; isWritable: boolean; scansInMemory: number };
  replicas?: { name: string; state: string; lagMs: number }[];
  /** Requests that a proxy forwarded although TRUST_PROXY_HOPS is 0. */
  ignoredForwards?: number;
  /** Kinds of jobs that a worker can read, beyond those of releases before 0.3. */
  reads?: string[];
}

export interface ProcessReport {
  id: string;
  kind: ProcessKind;
  host: string;
  pid: number;
  version: string;
  uptimeMs: number;
  isStopped: boolean;
  state: ProcessState;
  errors: LoggedError[];
  /** How long ago the previous report was. */
  spanMs: number;
  /** Since the previous report. */
  counts: Record<string, number>;
  longestLagMs: number | undefined;
}

/**
 * Resolves to whether all workers that run read bundles of scans, and there are some. All times are those of the database,
 * so that the clocks of several machines do not matter.
 */
export async function saveReport(db: Database, report: ProcessReport): Promise<boolean> {
  const { rows } = (await db.raw(
    `WITH reported AS (
       INSERT INTO processes (id, kind, host, pid, version, started_at, reported_at, is_stopped, state, errors)
       VALUES (:id, :kind, :host, :pid, :version, now() - :uptimeMs * interval '1 ms', now(), :isStopped, :state, :errors)
       ON CONFLICT (id) DO UPDATE SET reported_at = excluded.reported_at, is_stopped = excluded.is_stopped,
         state = excluded.state, errors = excluded.errors
     )
     INSERT INTO process_samples (process_id, since, until, counts, longest_lag_ms)
     VALUES (:id, now() - :spanMs * interval '1 ms', now(), :counts, :longestLagMs)
     RETURNING (
       SELECT coalesce(bool_and(state @> '{"reads":["bundles"]}'), false) FROM processes
       WHERE kind = 'worker' AND NOT is_stopped AND reported_at > now() - ${silentAfterMs} * interval '1 ms'
     ) AS "workersReadBundles"`,
    {
      ...report,
      state: JSON.stringify(report.state),
      errors: JSON.stringify(report.errors),
      counts: JSON.stringify(report.counts),
      longestLagMs: report.longestLagMs ?? null,
    } as never,
  )) as { rows: [{ workersReadBundles: boolean }] };
  return rows[0].workersReadBundles;
}

/** Called by the workers, and by each process once an hour: where no worker runs, the table must not grow. */
export async function purgeReports(db: Database): Promise<void> {
  await db.raw(`DELETE FROM process_samples WHERE until < now() - interval '${sampleHours} hours 5 minutes'`);
  await db.raw(`DELETE FROM processes WHERE reported_at < now() - interval '${endedHours} hours'`);
}

const purgeEveryMs = hourMs;

export interface ReportedProcess
  extends Omit<ProcessReport, 'uptimeMs' | 'isStopped' | 'spanMs' | 'counts' | 'longestLagMs'> {
  startedAt: Date;
  reportedAt: Date;
  /** `silent`: it stopped reporting without having been shut down. */
  status: 'running' | 'silent' | 'stopped';
}

/** Running ones first. */
export async function readProcesses(db: Database): Promise<ReportedProcess[]> {
  const { rows } = (await db.raw(
    `SELECT * FROM (
       SELECT id, kind, host, pid, version, started_at AS "startedAt", reported_at AS "reportedAt", state, errors,
              CASE WHEN is_stopped THEN 'stopped'
                   WHEN reported_at > now() - ${silentAfterMs} * interval '1 ms' THEN 'running'
                   ELSE 'silent' END AS status
       FROM processes
     ) AS reported
     ORDER BY array_position(ARRAY['running', 'silent', 'stopped'], status), kind, host, "startedAt" DESC LIMIT 200`,
  )) as { rows: ReportedProcess[] };
  return rows;
}

export interface Activity {
  /** Full minutes, oldest first. */
  minutes: Date[];
  /** What was counted in each of these minutes, by name. */
  perMinute: Map<string, number[]>;
  /** Per second, in the last minute for which every process has reported. */
  perSecond: Map<string, number>;
}

interface ActivityRow {
  /** The end of the last full minute. */
  ended: Date;
  recent: boolean | null;
  starts: Date | null;
  name: string;
  value: number;
}

/** What all processes together counted in the last hour. A sample counts in each minute by the part that lies in it. */
export async function readActivity(db: Database): Promise<Activity> {
  const { rows } = (await db.raw(
    `WITH clock AS (SELECT date_trunc('minute', now()) AS ended), parts AS (
       SELECT slot.*, s.since, s.until, s.counts, s.longest_lag_ms
       FROM clock, process_samples AS s, LATERAL (
         SELECT minute AS starts, minute + interval '1 minute' AS ends, false AS recent
         FROM generate_series(date_trunc('minute', s.since), s.until, interval '1 minute') AS minute
         WHERE minute >= ended - interval '${minutesShown} minutes' AND minute < ended
         UNION ALL SELECT now() - interval '75 seconds', now() - interval '15 seconds', true
       ) AS slot
       WHERE s.until > ended - interval '${minutesShown} minutes' AND s.since < slot.ends AND s.until > slot.starts
     )
     SELECT ended, recent, starts, name, sum(value) AS value FROM clock, parts, LATERAL (
       SELECT name, value::float8 * extract(epoch FROM least(until, ends) - greatest(since, starts))
                    / extract(epoch FROM until - since) AS value
       FROM jsonb_each_text(counts) AS counted (name, value)
     ) AS shared GROUP BY 1, 2, 3, 4
     UNION ALL SELECT ended, recent, starts, 'longestLagMs', max(longest_lag_ms) FROM clock, parts
       WHERE longest_lag_ms IS NOT NULL AND until <= ends GROUP BY 1, 2, 3
     UNION ALL SELECT ended, NULL, NULL, NULL, NULL FROM clock`,
  )) as { rows: ActivityRow[] };
  const ended = rows.at(-1)?.ended.getTime() ?? 0;
  const minutes = Array.from(
    { length: minutesShown },
    (_, index) => new Date(ended - (minutesShown - index) * 60_000),
  );
  const indexes = new Map(minutes.map((minute, index) => [minute.getTime(), index]));
  const perMinute = new Map<string, number[]>();
  const perSecond = new Map<string, number>();
  for (const { recent, starts, name, value } of rows) {
    if (!starts) continue;
    if (recent) {
      perSecond.set(name, name === 'longestLagMs' ? value : value / 60);
      continue;
    }
    const index = indexes.get(starts.getTime());
    if (index === undefined) continue;
    const values = perMinute.get(name) ?? minutes.map(() => 0);
    values[index] = value;
    perMinute.set(name, values);
  }
  return { minutes, perMinute, perSecond };
}

const lastReportTimeoutMs = 1_000;

interface ReporterOptions {
  kind: ProcessKind;
  db: Database;
  /** Totals since the process started. */
  count(): Promise<Record<string, number>>;
  state?(): Promise<Omit<ProcessState, 'memoryBytes'>>;
  /** The longest lag since the previous call. */
  takeLongestLagMs?(): number | undefined;
  /** Called after each report. */
  onReported?(workersReadBundles: boolean): void;
  errors?: RecentErrors | undefined;
  log: Log;
  everyMs?: number;
  /** QRELAY_COMMIT. */
  commit?: string | undefined;
}

interface ProcessReporter {
  /** Reports a last time, that the process was shut down. */
  close(): Promise<void>;
}

/**
 * Reports to the database every 10 seconds what the process did and how it is, for the operator pages. While the database
 * is down nothing is reported; what was counted meanwhile is in the next report.
 */
export function startReports({
  kind,
  db,
  count,
  state = async () => ({}),
  takeLongestLagMs = () => undefined,
  onReported = () => undefined,
  errors,
  log,
  everyMs = reportEveryMs,
  commit,
}: ReporterOptions): ProcessReporter {
  const identity = {
    id: randomUUID(),
    kind,
    host: hostname().slice(0, 100),
    pid: process.pid,
    version: releaseName(currentRelease({ commit })),
  };
  const startedAt = performance.now() - process.uptime() * 1_000;
  let reportedAt = performance.now();
  let reported: Record<string, number> = {};
  let longestLagMs: number | undefined;
  let purgedAt = performance.now();
  let running: Promise<void> | undefined;

  async function send(isStopped: boolean): Promise<void> {
    const [now, totals] = [performance.now(), await count()];
    longestLagMs = largest(longestLagMs, takeLongestLagMs());
    const counts = Object.fromEntries(
      Object.entries(totals).map(([name, total]) => [name, total - (reported[name] ?? 0)]),
    );
    const workersReadBundles = await saveReport(db, {
      ...identity,
      uptimeMs: now - startedAt,
      isStopped,
      state: { memoryBytes: process.memoryUsage.rss(), ...(await state()) },
      errors: errors?.list() ?? [],
      spanMs: Math.max(1, now - reportedAt),
      counts,
      longestLagMs,
    });
    onReported(workersReadBundles);
    reportedAt = now;
    reported = totals;
    longestLagMs = undefined;
    if (now - purgedAt < purgeEveryMs) return;
    purgedAt = now;
    await purgeReports(db);
  }

  function report(isStopped = false): Promise<void> {
    running ??= send(isStopped)
      // Whoever needs the database logs that it is down.
      .catch((err: unknown) => log.debug({ err }, 'the process could not report its state'))
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  const timer = setInterval(() => void report(), everyMs).unref();
  void report();
  return {
    async close() {
      clearInterval(timer);
      const last = Promise.resolve(running).then(() => report(true));
      // A database that hangs must not delay the shutdown.
      await withTimeout(lastReportTimeoutMs, last).catch(() => undefined);
    },
  };
}

function largest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}
