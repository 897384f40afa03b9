import { SetupError } from './errors.ts';
import type { Log } from './telemetry/log.ts';

const drainLimitMs = 25_000;

/** Tells the process that started us, if one did, that we are at work. */
export function announceReady(): void {
  process.send?.('ready');
}

/**
 * Runs `drain` once, when the process is asked to end, and exits. Whoever started us may be killed without a word:
 * then the channel to it closes, and we end as if asked.
 */
export function endWith(log: Log, drain: () => Promise<void>): void {
  let ending = false;
  const end = (reason: string) => {
    if (ending) return;
    ending = true;
    log.info({ reason }, 'ending');
    setTimeout(() => {
      log.error(`not done within ${drainLimitMs / 1000} s, leaving anyway`);
      process.exit(1);
    }, drainLimitMs).unref();
    drain().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'ending failed');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  if (process.send) process.once('disconnect', () => end('the parent process is gone'));
}

/** Runs a process's main function; a fault that an operator can mend is one sentence, not a stack. */
export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error instanceof SetupError ? error.message : error);
    process.exit(1);
  });
}
