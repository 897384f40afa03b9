import { format } from 'node:util';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';

export type Log = Logger;

/** JSON lines on standard output. Errors are logged with name, code, message and stack only: pg puts bound values into other fields. */
export function createLog(name: string, level: LevelWithSilent, destination?: DestinationStream): Log {
  const options = { name, level, base: { pid: process.pid }, serializers: { err: describeError } };
  return destination ? pino(options, destination) : pino(options);
}

/** What a log without another destination writes to. */
export function standardOutput(): DestinationStream {
  return pino.destination(1);
}

function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const native = 'nativeError' in error ? error.nativeError : error;
  const code = native instanceof Error && 'code' in native ? native.code : undefined;
  const stack = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
  return { type: error.name, code, message: error.message, stack };
}

const consoleLevels = { log: 'info', info: 'info', debug: 'debug', warn: 'warn', error: 'error' } as const;

/** Sends warnings of Node and of libraries (`process.emitWarning`) to the log. */
export function logWarnings(log: Log): void {
  // Removes Node's own listener, which prints them.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => log.warn({ warning: name }, message));
}

/** Sends everything that Node and libraries would print to the log, so that the output is JSON lines only. */
export function logConsoleOutput(log: Log): void {
  logWarnings(log);
  for (const [method, level] of Object.entries(consoleLevels) as [keyof typeof consoleLevels, 'info'][]) {
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

const maxKept = 20;
const maxTextLength = 300;
/** A longer line is not parsed: a stack trace may be large, and this runs in the process that redirects. */
const maxLineLength = 16_384;
const keptLevels = { '40': 'warning', '50': 'error', '60': 'error' } as const;

interface LogLine {
  time: number;
  msg?: string;
  err?: { code?: string; message?: string };
  times?: number;
}

/** A warning or an error of the log. The same one is listed once, with how often it occurred. */
export interface LoggedError {
  level: 'warning' | 'error';
  message: string;
  /** The message of the error that was logged with it. */
  cause: string;
  times: number;
  lastAt: string;
}

export interface RecentErrors {
  /** Passes every line on to the log's own destination. */
  watch(destination: DestinationStream): DestinationStream;
  /** The latest first. */
  list(): LoggedError[];
}

/**
 * The last warnings and errors that a process logged, for the operator pages. Read from the lines themselves, so that those
 * of threads and libraries are among them. The same message is kept once; memory is bounded.
 */
export function createRecentErrors(): RecentErrors {
  // In the order of their last occurrence.
  const kept = new Map<string, LoggedError>();

  function note(line: string): void {
    // pino puts the level first.
    const level = keptLevels[line.slice(9, 11) as keyof typeof keptLevels];
    if (level === undefined || !line.startsWith('{"level":') || line.length > maxLineLength) return;
    const { time, msg = '', err, times = 1 } = JSON.parse(line) as LogLine;
    const message = msg.slice(0, maxTextLength);
    const key = `${level} ${message}`;
    const before = kept.get(key);
    kept.delete(key);
    kept.set(key, {
      level,
      message,
      cause: causeOf(err),
      times: (before?.times ?? 0) + (Number.isInteger(times) ? times : 1),
      lastAt: new Date(time).toISOString(),
    });
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  }

  return {
    watch: (destination) => ({
      write(line) {
        destination.write(line);
        try {
          note(line);
        } catch {
          // A line that is not JSON must not stop the process that logs it.
        }
      },
    }),
    list: () => [...kept.values()].toReversed(),
  };
}

/** knex puts the statement before the message of PostgreSQL; the values are never in it. */
function causeOf(err: LogLine['err']): string {
  if (!err) return '';
  const message = (err.message ?? '').slice(0, maxLineLength);
  const plain = message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '');
  return [err.code, plain].filter(Boolean).join(': ').slice(0, maxTextLength);
}
