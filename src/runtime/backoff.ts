interface BackoffLimits {
  firstMs: number;
  longestMs: number;
  /** What ran this long was well: the next delay is the first again. */
  wellAfterMs: number;
}

export interface Backoff {
  /** How long to wait before the next start, after a run of this length. */
  next(ranMs: number): number;
  reset(): void;
}

export function createBackoff({
  firstMs = 500,
  longestMs = 30_000,
  wellAfterMs = 60_000,
}: Partial<BackoffLimits> = {}): Backoff {
  let delayMs = firstMs;
  return {
    next(ranMs) {
      if (ranMs >= wellAfterMs) delayMs = firstMs;
      const waitMs = delayMs;
      delayMs = Math.min(longestMs, delayMs * 2);
      return waitMs;
    },
    reset() {
      delayMs = firstMs;
    },
  };
}
