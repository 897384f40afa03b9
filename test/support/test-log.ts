import { openSync, writeSync } from 'node:fs';
import { createLog, type Log } from '../../src/telemetry/log.ts';

const file = process.env['TEST_LOG_FILE'];

/** Where every program under test writes its log: at the end of the run all of it is searched for secrets. */
export const testLogFile = file === undefined ? undefined : openSync(file, 'a');

/** The level for programs whose log is kept. */
export const testLogLevel = testLogFile === undefined ? 'silent' : 'trace';

/** What a program has written to its standard output, its log among it. */
export function keepLog(text: string): void {
  if (testLogFile !== undefined) writeSync(testLogFile, text);
}

/** The log of a service that runs in the process of the tests. */
export function testLog(): Log {
  return createLog('test', testLogLevel, { write: keepLog });
}
