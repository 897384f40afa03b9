import { parentPort } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { logConsoleOutput } from '../telemetry/console-output.ts';
import type { ThreadMessage } from './thread.ts';

const port = parentPort as NonNullable<typeof parentPort>;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const post = (message: ThreadMessage<unknown>) => port.postMessage(message);

/** In a thread: says something that was not asked for. */
export function emitEvent(notice: unknown): void {
  post({ notice });
}

/** In a thread: a log whose lines are written by the process's own, one at a time and to the same place. */
export function threadLog(name: string, level: Config['logLevel']): Log {
  const log = createLog(name, level, { write: (logLine) => post({ logLine }) });
  logConsoleOutput(log);
  return log;
}

/** In a thread: how each question is answered. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says which questions there are
export function handleRequests<Question extends object>(
  answer: (question: Question) => Promise<unknown>,
): void {
  port.on('message', (message: 'ping' | ({ id: number } & Question)) => {
    if (message === 'ping') return post({ pong: true });
    const { id, ...question } = message;
    answer(question as unknown as Question).then(
      (value) => post({ id, value }),
      (error: unknown) => post({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
