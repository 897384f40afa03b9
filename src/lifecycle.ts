import type { Config } from './config.ts';
import { AlreadyReportedError, drainLimitMs } from './runtime/supervisor.ts';
import { startFile } from './runtime/thread.ts';
import type { WatchdogData } from './runtime/watchdog-main.ts';
import { setupErrorMessage } from './store/database.ts';
import { createLog, type Log } from './telemetry/log.ts';
import { throttle } from './telemetry/throttle.ts';

/** Whether one of our own processes started this one. Read at load time, because the IPC channel may close at any time. */
const hasParent = process.send !== undefined;

const heartbeatMs = 1_000;

/**
 * Reports "ready" to the parent process, then sends it heartbeats while the event loop runs. Without a parent nobody
 * would notice a hang, so a watchdog thread kills the process instead.
 */
export function announceReady({ hangLimitSeconds }: Pick<Config, 'hangLimitSeconds'>): void {
  // Twice a supervisor's limit, so that a supervisor in front of this process acts first.
  if (!hasParent) return startWatchdog(2 * hangLimitSeconds * 1_000);
  sendToParent('ready');
  let isSending = false;
  setInterval(() => {
    // Heartbeats must not pile up when the parent does not read.
    if (isSending) return;
    isSending = true;
    sendToParent('alive', () => {
      isSending = false;
    });
  }, heartbeatMs).unref();
}

/**
 * For a process without a supervisor of ours, such as one started from a Procfile: a thread that kills the process when
 * its event loop has been blocked for the limit. Platforms restart a process that has exited, but do not notice a hang.
 */
function startWatchdog(limitMs: number): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), heartbeatMs).unref();
  const workerData: WatchdogData = { beats, limitMs };
  const watchdog = startFile(new URL('runtime/watchdog-main.js', import.meta.url), workerData);
  // The process works without the watchdog; a hang is then no longer detected.
  watchdog.on('error', (error) => process.emitWarning(`The watchdog thread failed: ${error.message}`));
  watchdog.unref();
}

function sendToParent(message: string, onSent: () => void = () => undefined): void {
  // If the parent disconnects before the message is sent, onShutdown handles that.
  if (process.connected) process.send?.(message, undefined, undefined, onSent);
}

/**
 * Runs `drain` once on SIGTERM or SIGINT, then exits. If the parent process is killed, the IPC channel closes, and that
 * counts as a request to shut down.
 */
export function onShutdown(log: Log, drain: () => Promise<void>, limitMs = drainLimitMs): void {
  let isShuttingDown = false;
  const shutDown = (reason: string) => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    log.info({ reason }, 'shutting down');
    setTimeout(() => {
      log.error(`shutdown not finished after ${limitMs / 1000} s, exiting anyway`);
      process.exit(1);
    }, limitMs).unref();
    drain().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  // The listeners stay installed. Under npm, Ctrl-C arrives twice (from the terminal and from npm), and without a listener
  // the second signal would kill the process while it drains.
  process.on('SIGTERM', () => shutDown('SIGTERM'));
  process.on('SIGINT', () => shutDown('SIGINT'));
  if (!hasParent) return;
  process.off('disconnect', exitBeforeStart);
  if (process.connected) process.once('disconnect', () => shutDown('parent process exited'));
  else shutDown('parent process exited');
}

/**
 * For the web process once it is ready: an error in one request must not end the process for all others. The HTTP server
 * closes the connection of a request that stays unanswered. A worker exits instead, and the queue redelivers its jobs.
 */
export function surviveUncaughtErrors(log: Log, count: () => void): void {
  const logError = throttle((err, times) =>
    log.error({ err, times }, 'uncaught error; the process keeps running'),
  );
  const survive = (err: unknown) => {
    count();
    logError(err);
  };
  // Replaces the listener of exitOnUncaughtException.
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
}

/** Until `onShutdown` is called there is nothing to drain. */
const exitBeforeStart = () => process.exit(1);

function watchParent(): void {
  // A failed write to a parent that has just died: `disconnect` follows and is handled.
  process.on('error', () => undefined);
  if (process.connected) process.once('disconnect', exitBeforeStart);
  else exitBeforeStart();
}

/** Given by `npm start` to its processes: a person reads why they do not start. */
export const plainErrorsFlag = '--plain-errors';

/** Saved before `logConsoleOutput` replaces it. */
const printError = console.error.bind(console);

type Report = (message: string | undefined, error: unknown) => void;

const print: Report = (message, error) =>
  printError(message ?? (error instanceof Error ? error.stack : error));

/** Runs the main function of a program for people: why it cannot start is printed. */
export function runMain(main: () => Promise<void>): void {
  run(main, print);
}

/** Runs the main function of a process whose output is a log; why it cannot start is logged, too. */
export function runLogged(name: string, main: () => Promise<void>): void {
  const log: Report = (message, err) =>
    // Whatever LOG_LEVEL says, which may itself be what is wrong.
    createLog(name, 'fatal').fatal(message ? {} : { err }, message ?? 'the process could not start');
  run(main, process.argv.includes(plainErrorsFlag) ? print : log);
}

/** An error that an operator can fix is reported as one message, without a stack. */
function run(main: () => Promise<void>, report: Report): void {
  if (hasParent) watchParent();
  main().catch((error: unknown) => {
    if (!(error instanceof AlreadyReportedError)) report(setupErrorMessage(error), error);
    process.exit(1);
  });
}
