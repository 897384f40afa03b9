import type { Log } from './log.ts';
import { type Schedule, scheduleUnref } from './throttle.ts';

interface ThrottledLogOptions {
  /** Lines per window; further ones are only counted. */
  maxLines: number;
  windowMs?: number;
  schedule?: Schedule;
}

type WriteLine = (level: 'debug' | 'info' | 'warn' | 'error', fields: object, message: string) => void;

/**
 * For lines that a client can cause with each request. Writes the first lines of each window, and at its end how many
 * were suppressed.
 */
export function throttledLog(
  log: Log,
  { maxLines, windowMs = 10_000, schedule = scheduleUnref }: ThrottledLogOptions,
): WriteLine {
  let written = 0;
  let suppressed = 0;
  let isWindowOpen = false;

  function endWindow(): void {
    isWindowOpen = false;
    written = 0;
    if (suppressed > 0) log.warn({ lines: suppressed }, 'too many log lines; some were suppressed');
    suppressed = 0;
  }

  return (level, fields, message) => {
    if (!log.isLevelEnabled(level)) return;
    if (!isWindowOpen) {
      isWindowOpen = true;
      schedule(endWindow, windowMs);
    }
    if (written >= maxLines) {
      suppressed += 1;
      return;
    }
    written += 1;
    log[level](fields, message);
  };
}
