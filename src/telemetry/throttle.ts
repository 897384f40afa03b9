const defaultPauseMs = 10_000;

export type Schedule = (work: () => void, ms: number) => void;

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
export const scheduleUnref: Schedule = (work, ms) => {
  setTimeout(work, ms).unref();
};
