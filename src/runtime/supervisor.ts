import type { ChildProcess } from 'node:child_process';
import type { Logger } from 'pino';
import { SetupError } from '../errors.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import { type LivenessWatch, watchLiveness } from './heartbeat.ts';

/** A process that does not finish draining within this time exits anyway. Platforms send SIGKILL after 30 s. */
export const drainLimitMs = 25_000;

/** The process that failed to start has already printed the reason. */
export class AlreadyReportedError extends Error {
  override name = 'AlreadyReportedError';
}

export interface SupervisedProcess {
  /** Rejects if the process exits before it was ever ready; it is then not started again. */
  ready: Promise<void>;
  /** Stops the process now and starts a new one. */
  restart(): void;
  stop(): Promise<void>;
}

interface SupervisorOptions {
  backoff?: Backoff;
  /** SIGKILL follows after this time. Longer than the process's own drain limit, so that it normally exits by itself. */
  stopTimeoutMs?: number;
  /** A ready process that sends no heartbeat for this long is killed. */
  hangLimitMs?: number;
  /** How long a process may take to become ready. */
  startTimeoutMs?: number;
}

/** How long a process that is restarted may take to stop, before SIGKILL. */
const restartTimeoutMs = 3_000;

type Exit = { code?: number | null; signal?: string | null; err?: Error };

/**
 * Starts a process and, once it has been ready, starts it again with backoff whenever it exits.
 *
 *   running → (exits) → waiting → (delay over, or restart) → running
 *      ├ (no heartbeat in time) → killed → waiting
 *      ├ (restart) → SIGTERM → running
 *      └ (stop) → SIGTERM → stopped
 */
export function supervise(
  name: string,
  start: () => ChildProcess,
  log: Logger,
  {
    backoff = createBackoff(),
    stopTimeoutMs = drainLimitMs + 2_000,
    hangLimitMs = 30_000,
    startTimeoutMs = 120_000,
  }: SupervisorOptions = {},
): SupervisedProcess {
  let wasReady = false;
  let isRestarting = false;
  let isStopping = false;
  let startTimer: NodeJS.Timeout | undefined;
  let resolveReady: () => void;
  let rejectReady: (reason: Error) => void;
  const ready = new Promise<void>((resolve, reject) => {
    resolveReady = resolve;
    rejectReady = reject;
  });
  let liveness: LivenessWatch;
  let current = launch();

  function launch(): ChildProcess {
    startTimer = undefined;
    isRestarting = false;
    const startedAt = Date.now();
    const child = start();
    const watch = (limitMs: number) =>
      watchLiveness({
        limitMs,
        onHang() {
          log.error({ limitMs }, `the ${name} process hangs; killing it`);
          // Unlike SIGTERM, this also ends a process that is stopped (SIGSTOP).
          child.kill('SIGKILL');
        },
      });
    liveness = watch(startTimeoutMs);
    child.on('message', (message) => {
      if (message === 'alive') liveness.heartbeat();
      if (message !== 'ready') return;
      wasReady = true;
      liveness.stop();
      liveness = watch(hangLimitMs);
      resolveReady();
    });
    child.on('error', (err) => {
      // The program could not be started, so there will be no exit event.
      if (child.pid === undefined) onExit({ err }, Date.now() - startedAt);
    });
    child.once('exit', (code, signal) => onExit({ code, signal }, Date.now() - startedAt));
    return child;
  }

  function onExit(exit: Exit, ranMs: number): void {
    liveness.stop();
    if (isStopping) return;
    if (!wasReady) return rejectReady(failedToStart(name, exit));
    const waitMs = isRestarting ? 0 : backoff.next(ranMs);
    if (!isRestarting) log.error({ ...exit, waitMs }, `the ${name} process exited; starting it again`);
    startTimer = setTimeout(() => {
      current = launch();
    }, waitMs);
  }

  return {
    ready,
    restart() {
      if (isStopping) return;
      backoff.reset();
      if (startTimer) {
        clearTimeout(startTimer);
        current = launch();
        return;
      }
      isRestarting = true;
      void stopProcess(current, restartTimeoutMs);
    },
    stop() {
      isStopping = true;
      liveness.stop();
      clearTimeout(startTimer);
      return stopProcess(current, stopTimeoutMs);
    },
  };
}

function failedToStart(name: string, { code, signal, err }: Exit): Error {
  // Exit code 1: the process has reported the reason.
  if (code === 1) return new AlreadyReportedError();
  const how = err?.message ?? signal ?? `exit code ${code}`;
  return new SetupError(`The ${name} process exited before it was ready (${how}).`);
}

/** Sends SIGTERM, and SIGKILL after the timeout. Resolves when the process has exited. */
function stopProcess(child: ChildProcess, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resolve();
    const kill = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
