const usualPauseMs = 10_000;

interface Rhythm {
  pauseMs?: number;
  later?: (work: () => void, ms: number) => void;
}

/**
 * For troubles that come by the thousand while a server is away: the first is told at once, those that follow together,
 * once in a pause, with the latest error and how many there were since the last line.
 */
export function throttle(
  tell: (err: unknown, count: number) => void,
  { pauseMs = usualPauseMs, later = laterIfAlive }: Rhythm = {},
): (err: unknown, count?: number) => void {
  let untold = 0;
  let latest: unknown;
  let isPausing = false;

  function tellAll(): void {
    tell(latest, untold);
    untold = 0;
    latest = undefined;
    isPausing = true;
    later(() => {
      isPausing = false;
      if (untold > 0) tellAll();
    }, pauseMs);
  }

  return (err, count = 1) => {
    untold += count;
    latest = err;
    if (!isPausing) tellAll();
  };
}

/** A line that is due is no reason for a process to stay. */
function laterIfAlive(work: () => void, ms: number): void {
  setTimeout(work, ms).unref();
}
