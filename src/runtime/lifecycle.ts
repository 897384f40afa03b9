import type { Config } from '../config.ts';
import { setupErrorMessage } from '../store/setup-error-message.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import { startWatchdog } from './watchdog.ts';

/** A process that is asked to end is gone after this time, done or not. Platforms kill after 30 s. */
export const drainLimitMs = 25_000;

/** Whether a process of ours started this one. Asked at once: the channel to it may close at any time. */
const hasParent = process.send !== undefined;

/** Why a start failed has been printed by the process that it failed in. */
export class AlreadyReportedError extends Error {
  override name = 'AlreadyReportedError';
}

const heartbeatMs = 1_000;

/**
 * Tells the process that started us, if one did, that we are at work, and from then on that our event loop turns. Where
 * nobody did, nobody would notice a hang: then a thread of ours ends the process.
 */
export function announceReady({ hangLimitSeconds }: Pick<Config, 'hangLimitSeconds'>): void {
  // Twice as patient as a supervisor: it may be beside a start that takes its time.
  if (!hasParent) return startWatchdog(2 * hangLimitSeconds * 1_000);
  tellParent('ready');
  let isOnItsWay = false;
  setInterval(() => {
    // A parent that does not read gets no pile of them.
    if (isOnItsWay) return;
    isOnItsWay = true;
    tellParent('alive', () => {
      isOnItsWay = false;
    });
  }, heartbeatMs).unref();
}

function tellParent(message: string, told: () => void = () => undefined): void {
  // Gone between the question and the message: onShutdown sees to that.
  if (process.connected) process.send?.(message, undefined, undefined, told);
}

/**
 * Runs `drain` once, when the process is asked to end, and exits. Whoever started us may be killed without a word:
 * then the channel to it closes, and we end as if asked.
 */
export function onShutdown(log: Log, drain: () => Promise<void>, limitMs = drainLimitMs): void {
  let ending = false;
  const end = (reason: string) => {
    if (ending) return;
    ending = true;
    log.info({ reason }, 'ending');
    setTimeout(() => {
      log.error(`not done within ${limitMs / 1000} s, leaving anyway`);
      process.exit(1);
    }, limitMs).unref();
    drain().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'ending failed');
        process.exit(1);
      },
    );
  };
  // Heard for as long as we live: Ctrl-C arrives twice below npm, from the terminal and from npm, and without a
  // listener the second one would end us in the middle of the first.
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  if (!hasParent) return;
  process.off('disconnect', leaveUnstarted);
  if (process.connected) process.once('disconnect', () => end('the parent process is gone'));
  else end('the parent process is gone');
}

/**
 * For the web process, once it is ready: what one request breaks must not end the process for all others. Whatever was
 * left unanswered by it is cut by the HTTP server. A worker ends instead, and the queue delivers its jobs again.
 */
export function surviveUncaughtErrors(log: Log, count: () => void): void {
  const tell = throttle((err, times) =>
    log.error({ err, times }, 'an error that nobody caught; the process goes on'),
  );
  const survive = (err: unknown) => {
    count();
    tell(err);
  };
  // In place of the listener that ends a process that is not ready yet.
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
}

/** Before `onShutdown`, there is nothing yet to drain. */
const leaveUnstarted = () => process.exit(1);

function watchParent(): void {
  // What cannot be written to a parent that dies at this moment: its end is told by `disconnect`, right after.
  process.on('error', () => undefined);
  if (process.connected) process.once('disconnect', leaveUnstarted);
  else leaveUnstarted();
}

/** Kept from before the log takes over what is written with `console`: a start that fails has a sentence for a person. */
const printError = console.error.bind(console);

/** Runs a process's main function; an error that an operator can mend is one sentence, not a stack. */
export function runMain(main: () => Promise<void>): void {
  if (hasParent) watchParent();
  main().catch((error: unknown) => {
    if (!(error instanceof AlreadyReportedError))
      printError(setupErrorMessage(error) ?? (error instanceof Error ? error.stack : error));
    process.exit(1);
  });
}
