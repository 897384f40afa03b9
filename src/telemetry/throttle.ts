import type { Log } from './log.ts';

const defaultPauseMs = 10_000;

type Schedule = (work: () => void, ms: number) => void;

interface ThrottleOptions {
  pauseMs?: number;
  schedule?: Schedule;
}

/**
 * For errors that occur by the thousand while a server is down: reports the first one at once, then at most once per
 * pause, with the latest error and the number of errors since the last report.
 */
export function throttle(
  report: (err: unknown, count: number) => void,
  { pauseMs = defaultPauseMs, schedule = scheduleUnref }: ThrottleOptions = {},
): (err: unknown, count?: number) => void {
  let unreported = 0;
  let latest: unknown;
  let isPaused = false;

  function flush(): void {
    report(latest, unreported);
    unreported = 0;
    latest = undefined;
    isPaused = true;
    schedule(() => {
      isPaused = false;
      if (unreported > 0) flush();
    }, pauseMs);
  }

  return (err, count = 1) => {
    unreported += count;
    latest = err;
    if (!isPaused) flush();
  };
}

/** A pending report must not keep the process alive. */
const scheduleUnref: Schedule = (work, ms) => {
  setTimeout(work, ms).unref();
};

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
