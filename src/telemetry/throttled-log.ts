import type { Log } from './log.ts';

interface Throttle {
  /** So many lines a window are written as they come. */
  maxLines: number;
  windowMs?: number;
  later?: (work: () => void, ms: number) => void;
}

type WriteLine = (level: 'debug' | 'info' | 'warn' | 'error', fields: object, message: string) => void;

/**
 * For lines that a client can cause with each request: written as they come while they are few; of a flood the first,
 * and at the end of each window how many were left out.
 */
export function throttledLog(
  log: Log,
  { maxLines, windowMs = 10_000, later = laterIfAlive }: Throttle,
): WriteLine {
  let written = 0;
  let leftOut = 0;
  let isCounting = false;

  function endWindow(): void {
    isCounting = false;
    written = 0;
    if (leftOut > 0) log.warn({ lines: leftOut }, 'too many lines for the log: these were left out');
    leftOut = 0;
  }

  return (level, fields, message) => {
    if (!log.isLevelEnabled(level)) return;
    if (!isCounting) {
      isCounting = true;
      later(endWindow, windowMs);
    }
    if (written >= maxLines) {
      leftOut += 1;
      return;
    }
    written += 1;
    log[level](fields, message);
  };
}

/** A line that is due is no reason for a process to stay. */
function laterIfAlive(work: () => void, ms: number): void {
  setTimeout(work, ms).unref();
}
