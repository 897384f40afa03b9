import { setTimeout as sleep } from 'node:timers/promises';
import { listScans } from '../../../scans/scan.ts';
import { type ScanTotals, readScanTotals } from '../../../scans/analytics.ts';
import type { Database } from '../../../store/database.ts';
import type { Reads } from '../../../store/reads.ts';
import { rollingDays } from './period.ts';
import { type ScanLine, ScanTableRow, toScanLine } from './scan-line.tsx';
import { ShortFigure } from '../../ui/words.tsx';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';

export const scansPerPage = 20;

/** Short enough for a scan to appear within two seconds, including its way through the queue. */
const pollIntervalMs = 750;

interface Watcher {
  send(update: LiveUpdate): void;
  /** Called when the code has been deleted. */
  end(): void;
}

interface Watched {
  watchers: Set<Watcher>;
  /** Watchers without an update yet. Their pages may be newer than `latest`, so they wait for the next poll, which reads the primary. */
  joining: Set<Watcher>;
  latest: { date: string; update: LiveUpdate } | undefined;
}

export interface LiveScans {
  /** Sends the current state as soon as it is known, then every change. Returns a function that stops it. */
  watch(codeId: string, watcher: Watcher): () => void;
}

/**
 * Finds new scans by polling the database, because any process may have recorded them. A code is polled once per
 * interval, however many watchers it has, and not at all without watchers.
 */
export function createLiveScans({ db, reads }: { db: Database; reads: Reads }, now: () => Date): LiveScans {
  const codes = new Map<string, Watched>();

  async function poll(codeId: string, watched: Watched): Promise<void> {
    const date = now().toISOString().slice(0, 10);
    const joining = [...watched.joining];
    const before = watched.latest;
    const isKnown = (ever: number) => before?.update.ever === ever && before.date === date;
    const read = async (from: Database) => {
      const found = await readScanTotals(from, codeId, date, rollingDays);
      // Scans and counters are written in one transaction, so an unchanged total means that there are no new scans.
      const scans = isKnown(found.ever) ? [] : await listScans(from, codeId, { limit: scansPerPage });
      return { ...found, scans };
    };
    let current = joining.length > 0 ? await read(db) : await reads.scans(codeId, read);
    // A replica may be behind what was sent. The counters may also have been corrected, or the code deleted.
    if (!current.exists || current.ever < (before?.update.ever ?? 0)) current = await read(db);
    const { exists, scans, ...totals } = current;
    for (const watcher of joining) watched.joining.delete(watcher);
    if (!exists) {
      for (const watcher of watched.watchers) watcher.end();
      return;
    }
    if (before && isKnown(totals.ever)) {
      for (const watcher of joining) sendTo(watcher, before.update);
      return;
    }
    const update = renderUpdate(totals, scans.slice(0, scansPerPage).map(toScanLine));
    watched.latest = { date, update };
    for (const watcher of watched.watchers) sendTo(watcher, update);
  }

  async function keepPolling(codeId: string, watched: Watched): Promise<void> {
    while (watched.watchers.size > 0) {
      // A failed query is repeated at the next interval.
      await poll(codeId, watched).catch(() => undefined);
      await sleep(pollIntervalMs, undefined, { ref: false });
    }
    codes.delete(codeId);
  }

  return {
    watch(codeId, watcher) {
      const existing = codes.get(codeId);
      const watched: Watched = existing ?? {
        watchers: new Set(),
        joining: new Set(),
        latest: undefined,
      };
      watched.watchers.add(watcher);
      watched.joining.add(watcher);
      if (!existing) {
        codes.set(codeId, watched);
        // It catches its own errors.
        void keepPolling(codeId, watched);
      }
      return () => {
        watched.watchers.delete(watcher);
        watched.joining.delete(watcher);
      };
    },
  };
}

/** An error at one watcher must not keep the update from the others. */
function sendTo(watcher: Watcher, update: LiveUpdate): void {
  try {
    watcher.send(update);
  } catch {
    watcher.end();
  }
}

/** Sent to open pages when there are new scans. Its HTML is rendered by the components of the page. */
interface LiveUpdate {
  /** All scans of the code. */
  ever: number;
  /** Scans by the number of days. */
  periods: ScanTotals['periods'];
  html: {
    today: string;
    periods: Record<string, string>;
    /** Rows of the latest scans, newest first. */
    scans: string;
  };
}

function renderUpdate(totals: Omit<ScanTotals, 'exists'>, latest: ScanLine[]): LiveUpdate {
  const figureHtml = (value: number) => renderToString(h(ShortFigure, { value }));
  const periodHtml = Object.entries(totals.periods).map(([days, scans]) => [days, figureHtml(scans)]);
  return {
    ever: totals.ever,
    periods: totals.periods,
    html: {
      today: figureHtml(totals.today),
      periods: Object.fromEntries(periodHtml) as Record<string, string>,
      scans: latest.map((scan) => renderToString(<ScanTableRow scan={scan} />)).join(''),
    },
  };
}
