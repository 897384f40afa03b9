import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

export type Log = Logger;

/** JSON lines on standard output. Of an error only name, code, message and stack are logged: pg puts bound values into other fields. */
export function createLog(name: string, level: Config['logLevel'], destination?: DestinationStream): Log {
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
