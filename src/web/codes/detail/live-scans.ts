import { setTimeout as sleep } from 'node:timers/promises';
import { listScans } from '../../../scans/list-scans.ts';
import { readScanTotals, type ScanTotals } from '../../../scans/scan-totals.ts';
import type { Database } from '../../../store/database.ts';
import { type ScanLine, toScanLine } from './scan-line.tsx';

/** The numbers of days that can be looked at. */
export const periods = [7, 30, 90, 365] as const;
export const scansAPage = 20;

/** Often enough for a scan to be seen within two seconds, its way through the queue included. */
const lookEveryMs = 750;

/** What an open page is told. */
export interface LiveState extends Omit<ScanTotals, 'exists'> {
  date: string;
  latest: ScanLine[];
}

export interface Watcher {
  tell(state: LiveState): void;
  /** The code is gone. */
  end(): void;
}

interface Watched {
  watchers: Set<Watcher>;
  state: LiveState | undefined;
}

export interface LiveScans {
  /** Tells how things are as soon as that is known, and then each change, until the answer is called. */
  watch(codeId: string, watcher: Watcher): () => void;
}

/**
 * New scans as the database has them, whichever process took and recorded them. Each code with watchers is looked at
 * once a turn, however many there are; without watchers nothing is asked.
 */
export function createLiveScans(db: Database, now: () => Date): LiveScans {
  const codes = new Map<string, Watched>();

  async function look(codeId: string, watched: Watched): Promise<void> {
    const date = now().toISOString().slice(0, 10);
    const { exists, ...totals } = await readScanTotals(db, codeId, date, periods);
    if (!exists) {
      for (const watcher of watched.watchers) watcher.end();
      return;
    }
    const before = watched.state;
    if (before?.ever === totals.ever && before.date === date) return;
    // Scans and counters are written in one transaction: only a changed total means that there is something to list.
    const scans = await listScans(db, codeId, { limit: scansAPage });
    watched.state = { ...totals, date, latest: scans.slice(0, scansAPage).map(toScanLine) };
    for (const watcher of watched.watchers) tellOne(watcher, watched.state);
  }

  async function keepLooking(codeId: string, watched: Watched): Promise<void> {
    while (watched.watchers.size > 0) {
      // A database that cannot be asked now is asked again at the next turn.
      await look(codeId, watched).catch(() => undefined);
      await sleep(lookEveryMs, undefined, { ref: false });
    }
    codes.delete(codeId);
  }

  return {
    watch(codeId, watcher) {
      const known = codes.get(codeId);
      const watched: Watched = known ?? { watchers: new Set(), state: undefined };
      watched.watchers.add(watcher);
      if (watched.state) tellOne(watcher, watched.state);
      if (!known) {
        codes.set(codeId, watched);
        // It catches its own failures.
        void keepLooking(codeId, watched);
      }
      return () => watched.watchers.delete(watcher);
    },
  };
}

/** One that cannot be told must not keep the news from the others. */
function tellOne(watcher: Watcher, state: LiveState): void {
  try {
    watcher.tell(state);
  } catch {
    watcher.end();
  }
}
