import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../store/database.ts';
import { findLostAccess, type Watching } from '../workspaces/lost-access.ts';

/** Whoever is removed from a workspace sees nothing more of it within a second. */
const intervalMs = 500;

/** For responses that go on after the guard of their route has let them in: streams and long downloads. */
export interface AccessWatch {
  /** Calls `end` once when access is lost. Returns a function that stops watching. */
  watch(watching: Watching, end: () => void): () => void;
}

/**
 * Asks once per interval for all open responses of the process, and not at all while there are none. While the database does not
 * answer, they stay open: nothing new can be read for them either.
 */
export function createAccessWatch(db: Database): AccessWatch {
  const open = new Map<object, { watching: Watching; end: () => void }>();
  let isWatching = false;

  async function check(): Promise<void> {
    const entries = [...open];
    const lost = await findLostAccess(
      db,
      entries.map(([, { watching }]) => watching),
    );
    for (const index of lost) {
      const [key, entry] = entries[index] ?? [];
      if (key && open.delete(key)) entry?.end();
    }
  }

  async function keepChecking(): Promise<void> {
    isWatching = true;
    while (open.size > 0) {
      await check().catch(() => undefined); // decided at the next interval
      await sleep(intervalMs, undefined, { ref: false });
    }
    isWatching = false;
  }

  return {
    watch(watching, end) {
      const key = {};
      open.set(key, { watching, end });
      // It catches its own errors.
      if (!isWatching) void keepChecking();
      return () => void open.delete(key);
    },
  };
}
