import type { ChildProcess } from 'node:child_process';
import { SetupError } from '../errors.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import { AlreadyReportedError, drainLimitMs } from './lifecycle.ts';
import { type Liveness, watchLiveness } from './liveness.ts';
import type { Log } from '../telemetry/log.ts';

export interface SupervisedProcess {
  /** Rejected where the process ends before it was ever ready: then it is not tried again. */
  ready: Promise<void>;
  /** Ends it now and starts a new one. */
  renew(): void;
  stop(): Promise<void>;
}

interface Patience {
  delays?: Backoff;
  /** A process leaves by itself when its drain takes too long; one that does not even do that is killed. */
  stopLimitMs?: number;
  renewLimitMs?: number;
  /** One that was ready and has sent no heartbeat for this long hangs, and is killed. */
  hangLimitMs?: number;
  /** So long it may take to be ready. */
  startLimitMs?: number;
}

/**
 * Starts a process and, once it was ready, starts it again whenever it dies, with a growing delay.
 *
 *   running → (dies) → waiting → (delay over, or renewed) → running
 *      ├ (no heartbeat in time) → killed → waiting
 *      ├ (renewed) → asked to end → running
 *      └ (stopped) → asked to end → over
 */
export function supervise(
  name: string,
  start: () => ChildProcess,
  log: Log,
  {
    delays = createBackoff(),
    stopLimitMs = drainLimitMs + 2_000,
    renewLimitMs = 3_000,
    hangLimitMs = 30_000,
    startLimitMs = 120_000,
  }: Patience = {},
): SupervisedProcess {
  let everReady = false;
  let renewing = false;
  let stopping = false;
  let pause: NodeJS.Timeout | undefined;
  let resolveReady: () => void;
  let rejectReady: (reason: Error) => void;
  const ready = new Promise<void>((resolve, reject) => {
    resolveReady = resolve;
    rejectReady = reject;
  });
  let liveness: Liveness;
  let child = begin();

  function begin(): ChildProcess {
    pause = undefined;
    renewing = false;
    const startedAt = Date.now();
    const fresh = start();
    const watch = (limitMs: number) =>
      watchLiveness({
        limitMs,
        onHang() {
          log.error({ limitMs }, `the ${name} process hangs; killing it`);
          // Heard even by a process that is stopped.
          fresh.kill('SIGKILL');
        },
      });
    liveness = watch(startLimitMs);
    fresh.on('message', (message) => {
      if (message === 'alive') liveness.heard();
      if (message !== 'ready') return;
      everReady = true;
      liveness.stop();
      liveness = watch(hangLimitMs);
      resolveReady();
    });
    fresh.on('error', (err) => {
      // There was nothing to start, and so no exit will be told.
      if (fresh.pid === undefined) onEnd({ err }, Date.now() - startedAt);
    });
    fresh.once('exit', (code, signal) => onEnd({ code, signal }, Date.now() - startedAt));
    return fresh;
  }

  function onEnd(how: { code?: number | null; signal?: string | null; err?: Error }, ranMs: number): void {
    liveness.stop();
    if (stopping) return;
    if (!everReady) return rejectReady(endedTooEarly(name, how));
    const waitMs = renewing ? 0 : delays.next(ranMs);
    if (!renewing) log.error({ ...how, waitMs }, `the ${name} process ended; starting it again`);
    pause = setTimeout(() => {
      child = begin();
    }, waitMs);
  }

  return {
    ready,
    renew() {
      if (stopping) return;
      delays.reset();
      if (pause) {
        clearTimeout(pause);
        child = begin();
        return;
      }
      renewing = true;
      void endProcess(child, renewLimitMs);
    },
    stop() {
      stopping = true;
      liveness.stop();
      clearTimeout(pause);
      return endProcess(child, stopLimitMs);
    },
  };
}

function endedTooEarly(name: string, { code, signal, err }: Parameters<typeof describeEnd>[0]): Error {
  // With 1 it left by itself and said why.
  if (code === 1) return new AlreadyReportedError();
  return new SetupError(
    `The ${name} process ended before it was ready (${describeEnd({ code, signal, err })}).`,
  );
}

function describeEnd(how: {
  code?: number | null | undefined;
  signal?: string | null | undefined;
  err?: Error | undefined;
}): string {
  return how.err?.message ?? how.signal ?? `exit code ${how.code}`;
}

/** Asks a process to end, and kills it when it has not within the limit. Done when it is gone. */
function endProcess(child: ChildProcess, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resolve();
    const kill = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
