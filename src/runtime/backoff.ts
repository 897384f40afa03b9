interface BackoffOptions {
  firstMs: number;
  longestMs: number;
  /** A run of at least this length counts as a success: the next delay is `firstMs` again. */
  resetAfterMs: number;
}

export interface Backoff {
  /** The delay before the next attempt. `ranMs` is how long the last attempt ran. */
  next(ranMs: number): number;
  reset(): void;
}

/** Exponential backoff: the delay doubles from `firstMs` up to `longestMs`. */
export function createBackoff({
  firstMs = 500,
  longestMs = 30_000,
  resetAfterMs = 60_000,
}: Partial<BackoffOptions> = {}): Backoff {
  let delayMs = firstMs;
  return {
    next(ranMs) {
      if (ranMs >= resetAfterMs) delayMs = firstMs;
      const waitMs = delayMs;
      delayMs = Math.min(longestMs, delayMs * 2);
      return waitMs;
    },
    reset() {
      delayMs = firstMs;
    },
  };
}
