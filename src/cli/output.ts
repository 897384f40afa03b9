import { logConsoleOutput } from '../telemetry/console-output.ts';
import { createLog } from '../telemetry/log.ts';

/** Messages for people go to standard error; standard output has only results, so that they can be piped. */
export function printMessage(line: string): void {
  console.error(line);
}

export function printResult(line: string): void {
  console.log(line);
}

export interface Messages {
  print(line: string): void;
  /** Why the command failed. */
  printFailure(line: string): void;
}

export const plainMessages: Messages = { print: printMessage, printFailure: printMessage };

/** For a release phase, whose output is collected with the logs: lines as web and worker processes write them. */
export function jsonMessages(): Messages {
  const log = createLog('release', 'info');
  logConsoleOutput(log);
  return { print: (line) => log.info(line), printFailure: (line) => log.fatal(line) };
}
