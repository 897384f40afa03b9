import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';

const checkEveryMs = 1_000;
const writeTimeoutMs = 3_000;

interface WriteMonitorOptions {
  /** A small write that changes nothing. */
  write(): Promise<unknown>;
  isConnected(): boolean;
  onReadinessChange(isReady: boolean): void;
  /** Called with the time that a write took until it was acknowledged. */
  onRoundTrip(ms: number): void;
  log: Log;
  /** What happens while it takes no writes. */
  consequence: string;
}

export interface WriteMonitor {
  /** Connected, and the last write succeeded. */
  isReady(): boolean;
  /** Runs a write and remembers its outcome. */
  monitor<Value>(write: () => Promise<Value>): Promise<Value>;
  /** Rejects with the reason when the queue takes no writes now. */
  check(): Promise<void>;
  /** To be called when the connection opens or closes. */
  connectionChanged(): void;
  stop(): void;
}

/**
 * Whether the queue takes writes. A server that responds may still refuse every job: a replica, one that is out of
 * memory, or one where the user lacks permission.
 */
export function monitorWrites({
  write,
  isConnected,
  onReadinessChange,
  onRoundTrip,
  log,
  consequence,
}: WriteMonitorOptions): WriteMonitor {
  let writeError: unknown;
  let wroteAt = Number.NEGATIVE_INFINITY;
  let reported: boolean | undefined;
  let checking: Promise<void> | undefined;

  const isReady = () => writeError === undefined && isConnected();
  const logRefused = throttle((err, times) =>
    log.warn({ err, times }, `the queue takes no writes: ${consequence} until it does`),
  );

  function reportChange(): void {
    if (isReady() === reported) return;
    reported = isReady();
    onReadinessChange(reported);
  }

  async function monitor<Value>(work: () => Promise<Value>): Promise<Value> {
    const startedAt = performance.now();
    try {
      const value = await work();
      writeError = undefined;
      wroteAt = performance.now();
      onRoundTrip(wroteAt - startedAt);
      return value;
    } catch (error) {
      // One that began before the last success says nothing about the queue now: it may have waited out an outage.
      if (startedAt >= wroteAt) writeError = error;
      // A closed connection is logged elsewhere.
      if (isConnected()) logRefused(error);
      throw error;
    } finally {
      reportChange();
    }
  }

  function check(): Promise<void> {
    if (!isConnected()) return Promise.reject(new Error('The queue is not connected'));
    checking ??= monitor(() => withTimeout(writeTimeoutMs, write()))
      .then(() => undefined)
      .finally(() => {
        checking = undefined;
      });
    return checking;
  }

  const timer = setInterval(() => {
    // While jobs are taken there is nothing to find out.
    if (writeError !== undefined || performance.now() - wroteAt > checkEveryMs)
      void check().catch(() => undefined);
  }, checkEveryMs).unref();
  return {
    isReady,
    monitor,
    check,
    connectionChanged() {
      reportChange();
      if (isConnected()) void check().catch(() => undefined);
    },
    stop: () => clearInterval(timer),
  };
}
