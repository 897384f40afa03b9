interface LivenessOptions {
  /** So long it may be silent. */
  limitMs: number;
  onHang: () => void;
}

export interface Liveness {
  heard(): void;
  stop(): void;
}

const checksALimit = 10;

/**
 * Watches something that shows a sign of life now and then. Counts checks instead of reading a clock: while we do not run
 * ourselves, because the machine sleeps or we are busy, no check is made and nobody is found hanging.
 */
export function watchLiveness({ limitMs, onHang }: LivenessOptions): Liveness {
  let silentChecks = 0;
  const checking = setInterval(() => {
    silentChecks += 1;
    if (silentChecks <= checksALimit) return;
    clearInterval(checking);
    onHang();
  }, limitMs / checksALimit).unref();
  return {
    heard() {
      silentChecks = 0;
    },
    stop: () => clearInterval(checking),
  };
}
