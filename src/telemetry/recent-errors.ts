import type { DestinationStream } from 'pino';
import type { LoggedError } from '../store/process-reports.ts';

const maxKept = 20;
const maxTextLength = 300;
/** A longer line is not parsed: a stack trace may be large, and this runs in the process that redirects. */
const maxLineLength = 16_384;
const levels = { '40': 'warning', '50': 'error', '60': 'error' } as const;

interface LogLine {
  time: number;
  msg?: string;
  err?: { code?: string; message?: string };
  times?: number;
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
    const level = levels[line.slice(9, 11) as keyof typeof levels];
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
