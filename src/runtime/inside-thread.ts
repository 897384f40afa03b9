import { parentPort } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { logConsoleOutput } from '../telemetry/console-output.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import type { ThreadMessage } from './thread.ts';

/** The other end of thread.ts: what the code that runs in a thread uses. */

const port = parentPort as NonNullable<typeof parentPort>;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const post = (message: ThreadMessage<unknown>) => port.postMessage(message);

/** Sends an event to `onEvent`. The first one says that the thread is ready. */
export function emitEvent(event: unknown): void {
  post({ event });
}

/** A log whose lines are written by the main thread, so that lines of several threads never mix. */
export function threadLog(name: string, level: Config['logLevel']): Log {
  const log = createLog(name, level, { write: (logLine) => post({ logLine }) });
  logConsoleOutput(log);
  return log;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- documents the requests the thread accepts
export function handleRequests<Request extends object>(handle: (request: Request) => Promise<unknown>): void {
  port.on('message', (message: 'ping' | ({ id: number } & Request)) => {
    if (message === 'ping') return post({ pong: true });
    const { id, ...request } = message;
    handle(request as unknown as Request).then(
      (value) => post({ id, value }),
      (error: unknown) => post({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
