import { setTimeout as sleep } from 'node:timers/promises';
import { findLostAccess, type GrantedAccess } from '../accounts/lost-access.ts';
import type { Database } from '../store/database.ts';

/** Whoever is removed from a workspace, or gets a lower role, receives nothing more that it kept from them within a second. */
const intervalMs = 500;

/** Everybody may look at the demo for as long as they like. */
export type WatchedAccess = GrantedAccess | 'demo';

/** For responses that go on after the guard of their route has let them in: streams and long downloads. */
export interface AccessWatch {
  /** Calls `end` once when access is lost. Returns a function that stops watching. */
  watch(access: WatchedAccess, end: () => void): () => void;
}

/**
 * Asks once per interval for all open responses of the process, and not at all while there are none. While the database does not
 * answer, they stay open: nothing new can be read for them either.
 */
export function createAccessWatch(db: Database): AccessWatch {
  const open = new Map<object, { access: GrantedAccess; end: () => void }>();
  let isWatching = false;

  async function check(): Promise<void> {
    const entries = [...open];
    const lost = await findLostAccess(
      db,
      entries.map(([, { access }]) => access),
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
    watch(access, end) {
      if (access === 'demo') return () => undefined;
      const key = {};
      open.set(key, { access, end });
      // It catches its own errors.
      if (!isWatching) void keepChecking();
      return () => void open.delete(key);
    },
  };
}
