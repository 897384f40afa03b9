import { format } from 'node:util';
import type { Log } from './log.ts';

const levels = { log: 'info', info: 'info', debug: 'debug', warn: 'warn', error: 'error' } as const;

/** Sends warnings of Node and of libraries (`process.emitWarning`) to the log. */
export function logWarnings(log: Log): void {
  // Removes Node's own listener, which prints them.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ warning: name }, message));
}

/** Sends everything that Node and libraries would print to the log, so that the output is JSON lines only. */
export function logConsoleOutput(log: Log): void {
  logWarnings(log);
  for (const [method, level] of Object.entries(levels) as [keyof typeof levels, 'info'][]) {
    console[method] = (...args: unknown[]) =>
      log[level]({ from: 'console' }, format(...args.map(withoutFields)));
  }
}

/** Node would print every field of the error, including the values of a failed SQL statement. */
export function exitOnUncaughtException(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught exception');
    process.exit(1);
  });
}

function withoutFields(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
