/** Positions in the WAL of the primary, and when it had them. */
export interface WalHistory {
  /** `askedAtMs` is when the primary was asked: what it had committed by then is before `position`. */
  add(position: number, askedAtMs: number): void;
  /** The latest moment whose commits all lie before `position`. Undefined: older than what is kept. */
  currentAsOf(position: number): number | undefined;
  clear(): void;
}

/** Ten minutes at two entries a second. */
const defaultMaxEntries = 1_200;

/**
 * Compares positions, not timestamps: the time since the last replayed transaction grows while the primary is idle,
 * although the replica lacks nothing.
 */
export function createWalHistory(maxEntries = defaultMaxEntries): WalHistory {
  const entries: { position: number; askedAtMs: number }[] = [];
  return {
    add(position, askedAtMs) {
      const last = entries.at(-1);
      // Another server, which has lost the end of this WAL.
      if (last && position < last.position) entries.length = 0;
      if (last?.position === position) last.askedAtMs = askedAtMs;
      else entries.push({ position, askedAtMs });
      if (entries.length > maxEntries) entries.shift();
    },
    currentAsOf: (position) => entries.findLast((entry) => entry.position <= position)?.askedAtMs,
    clear() {
      entries.length = 0;
    },
  };
}
