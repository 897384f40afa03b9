/**
 * Judges owners that only their file's time of change tells of. It is compared with itself, by our own clock: the
 * clocks of two machines may differ, and a file that was untouched for long may have been touched again since.
 */
export interface HeartbeatWatch {
  /** For how long the file's time of change has stood still, as far as we have seen. */
  unchangedMs(path: string, mtimeMs: number): number;
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
