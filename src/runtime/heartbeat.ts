/**
 * Detects owners that have stopped updating the mtime of their file. An mtime is only compared with an earlier mtime of
 * the same file, and time is measured with our own clock, because the clocks of two machines may differ.
 */
interface HeartbeatWatch {
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

interface LivenessOptions {
  /** The longest allowed time without a heartbeat. */
  limitMs: number;
  onHang: () => void;
}

export interface LivenessWatch {
  heartbeat(): void;
  stop(): void;
}

const checksPerLimit = 10;

/**
 * Calls `onHang` once when no heartbeat has arrived for `limitMs`. It counts timer ticks instead of reading a clock, so
 * that time in which this process itself did not run (suspended machine, busy event loop) does not count as a hang.
 */
export function watchLiveness({ limitMs, onHang }: LivenessOptions): LivenessWatch {
  let silentChecks = 0;
  const timer = setInterval(() => {
    silentChecks += 1;
    if (silentChecks <= checksPerLimit) return;
    clearInterval(timer);
    onHang();
  }, limitMs / checksPerLimit).unref();
  return {
    heartbeat() {
      silentChecks = 0;
    },
    stop: () => clearInterval(timer),
  };
}
