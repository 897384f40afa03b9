import { format } from 'node:util';
import type { Log } from './log.ts';

const levels = { log: 'info', info: 'info', debug: 'debug', warn: 'warn', error: 'error' } as const;

/** Warnings of Node and of libraries (`process.emitWarning`) go into the log. */
export function logWarnings(log: Log): void {
  // Node's own listener is what prints them.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ warning: name }, message));
}

/** Whatever Node and libraries would print goes into the log, which has nothing but JSON lines. */
export function logConsoleOutput(log: Log): void {
  logWarnings(log);
  for (const [method, level] of Object.entries(levels) as [keyof typeof levels, 'info'][]) {
    console[method] = (...args: unknown[]) =>
      log[level]({ from: 'console' }, format(...args.map(withoutFields)));
  }
}

/** Logs what nobody caught and ends the process; Node would print every field of it, the values of a statement too. */
export function exitOnUncaughtException(log: Log): void {
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught exception');
    process.exit(1);
  });
}

function withoutFields(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
