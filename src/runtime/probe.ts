import { withTimeout } from './timeout.ts';

export interface ProbeResult {
  ok: boolean;
  ms: number;
}

export interface Probe {
  /** The result of the last check. Waits only for the very first one. */
  latest(): Promise<ProbeResult>;
  stop(): void;
}

interface ProbeOptions {
  everyMs?: number;
  timeoutMs?: number;
}

/**
 * Checks once a second whether a server responds in time. Whoever asks gets the last result, however many ask, and at once
 * while the server hangs: a load balancer does not wait long for it.
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

  const first = run();
  const timer = setInterval(() => {
    if (!isRunning) void run(); // never rejects
  }, everyMs).unref();
  return {
    latest: async () => result ?? first,
    stop: () => clearInterval(timer),
  };
}
