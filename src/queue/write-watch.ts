import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';

const checkEveryMs = 1_000;
const writeWithinMs = 3_000;

interface WriteWatchParts {
  /** A small write that changes nothing. */
  write(): Promise<unknown>;
  isConnected(): boolean;
  /** Told of every change, and of nothing else. */
  tellReadiness(isReady: boolean): void;
  log: Log;
}

export interface WriteWatch {
  /** Connected, and the last write was taken. */
  isReady(): boolean;
  /** Does what is a write itself, and remembers how it went. */
  writing<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Rejects with the reason where the queue takes no writes now. */
  check(): Promise<void>;
  /** To be called when the connection comes or goes. */
  connectionChanged(): void;
  stop(): void;
}

/**
 * Whether the queue takes writes. That it answers is not enough: a replica, a server that is out of memory or one that
 * does not permit it answers every question and refuses every job.
 */
export function watchWrites({ write, isConnected, tellReadiness, log }: WriteWatchParts): WriteWatch {
  let refusal: unknown;
  let wroteAt = Number.NEGATIVE_INFINITY;
  let told: boolean | undefined;
  let checking: Promise<void> | undefined;

  const isReady = () => refusal === undefined && isConnected();
  const tellRefused = throttle((err, times) =>
    log.warn({ err, times }, 'the queue takes no writes: scans go to the spool until it does'),
  );

  function connectionChanged(): void {
    if (isReady() === told) return;
    told = isReady();
    tellReadiness(told);
  }

  async function writing<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      const value = await work();
      refusal = undefined;
      wroteAt = performance.now();
      return value;
    } catch (error) {
      refusal = error;
      // A connection that is down is told of by itself.
      if (isConnected()) tellRefused(error);
      throw error;
    } finally {
      connectionChanged();
    }
  }

  function check(): Promise<void> {
    if (!isConnected()) return Promise.reject(new Error('The queue is not connected'));
    checking ??= writing(() => withTimeout(writeWithinMs, write()))
      .then(() => undefined)
      .finally(() => {
        checking = undefined;
      });
    return checking;
  }

  const checkingAgain = setInterval(() => {
    // While jobs are taken there is nothing to find out.
    if (refusal !== undefined || performance.now() - wroteAt > checkEveryMs)
      void check().catch(() => undefined);
  }, checkEveryMs).unref();
  return {
    isReady,
    writing,
    check,
    connectionChanged() {
      connectionChanged();
      if (isConnected()) void check().catch(() => undefined);
    },
    stop: () => clearInterval(checkingAgain),
  };
}
