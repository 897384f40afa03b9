import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { withTimeout } from '../runtime/timeout.ts';
import { currentRelease, releaseName } from '../runtime/release.ts';
import type { Database } from '../store/database.ts';
import {
  type ProcessKind,
  type ProcessState,
  purgeEveryMs,
  purgeReports,
  reportEveryMs,
  saveReport,
} from '../store/process-reports.ts';
import type { Log } from './log.ts';
import type { Counts } from './process-counts.ts';
import type { RecentErrors } from './recent-errors.ts';

const lastReportTimeoutMs = 1_000;

interface ReporterOptions {
  kind: ProcessKind;
  db: Database;
  /** Totals since the process started. */
  count(): Promise<Counts>;
  state?(): Promise<Omit<ProcessState, 'memoryBytes'>>;
  /** The longest lag since the previous call. */
  takeLongestLagMs?(): number | undefined;
  errors?: RecentErrors | undefined;
  log: Log;
  everyMs?: number;
  /** QRELAY_COMMIT. */
  commit?: string | undefined;
}

export interface ProcessReporter {
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
  let reported: Counts = {};
  let longestLagMs: number | undefined;
  let purgedAt = performance.now();
  let running: Promise<void> | undefined;

  async function send(isStopped: boolean): Promise<void> {
    const [now, totals] = [performance.now(), await count()];
    longestLagMs = largest(longestLagMs, takeLongestLagMs());
    const counts = Object.fromEntries(
      Object.entries(totals).map(([name, total]) => [name, total - (reported[name] ?? 0)]),
    );
    await saveReport(db, {
      ...identity,
      uptimeMs: now - startedAt,
      isStopped,
      state: { memoryBytes: process.memoryUsage.rss(), ...(await state()) },
      errors: errors?.list() ?? [],
      spanMs: Math.max(1, now - reportedAt),
      counts,
      longestLagMs,
    });
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
