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
