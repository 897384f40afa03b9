import { withTimeout } from './timeout.ts';

export interface ProbeResult {
  ok: boolean;
  ms: number;
}

export interface Probe {
  /** The result of the last check. Waits only for the first one, and for the first one after a pause. */
  latest(): Promise<ProbeResult>;
  stop(): void;
}

interface ProbeOptions {
  everyMs?: number;
  timeoutMs?: number;
}

/** The checks pause when nobody has asked for this long. */
const pauseAfterMs = 60_000;

/**
 * Checks once a second whether a server responds in time. Whoever asks gets the last result, however many ask, and at once
 * while the server hangs: a load balancer does not wait long for it. A service that nobody monitors does not check; the first
 * to ask again waits for a check.
 */
export function startProbe(
  check: () => Promise<unknown>,
  { everyMs = 1_000, timeoutMs = 1_000 }: ProbeOptions = {},
): Probe {
  let result: ProbeResult | undefined;
  let isRunning = false;

  async function run(): Promise<ProbeResult> {
    isRunning = true;
    const startedAt = performance.now();
    const checking = check();
    const settled = checking.then(
      () => undefined,
      () => undefined,
    );
    const ok = await withTimeout(timeoutMs, checking).then(
      () => true,
      () => false,
    );
    result = { ok, ms: Math.round((performance.now() - startedAt) * 10) / 10 };
    // One that hangs holds a connection, so the next one waits for its end.
    void settled.then(() => {
      isRunning = false;
    });
    return result;
  }

  let first: Promise<ProbeResult> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let askedAt = 0;

  function tick(): void {
    if (performance.now() - askedAt > pauseAfterMs) {
      clearInterval(timer);
      timer = undefined;
      result = undefined;
    } else if (!isRunning) void run(); // never rejects
  }

  return {
    async latest() {
      askedAt = performance.now();
      if (!timer) {
        timer = setInterval(tick, everyMs).unref();
        first = run();
      }
      return result ?? (first as Promise<ProbeResult>);
    },
    stop: () => clearInterval(timer),
  };
}
