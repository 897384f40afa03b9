/**
 * Detects owners that have stopped updating the mtime of their file. An mtime is only compared with an earlier mtime of
 * the same file, and time is measured with our own clock, because the clocks of two machines may differ.
 */
export interface HeartbeatWatch {
  /** How long the mtime has been unchanged, as far as this watch has seen. */
  unchangedMs(path: string, mtimeMs: number): number;
  /** Forgets every file that is not in the list. */
  retainOnly(paths: string[]): void;
}

export function watchHeartbeats(now: () => number = () => performance.now()): HeartbeatWatch {
  const seen = new Map<string, { mtimeMs: number; since: number }>();
  return {
    unchangedMs(path, mtimeMs) {
      const last = seen.get(path);
      if (last?.mtimeMs === mtimeMs) return now() - last.since;
      seen.set(path, { mtimeMs, since: now() });
      return 0;
    },
    retainOnly(paths) {
      const kept = new Set(paths);
      for (const path of seen.keys()) if (!kept.has(path)) seen.delete(path);
    },
  };
}
