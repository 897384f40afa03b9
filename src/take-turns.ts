import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { refuse } from './malformed-request.ts';

/** What waits longer than this many others is better told to come back. */
const mostWaiting = 1_000;

const busy = {
  status: 503,
  error: 'internal_error',
  message: 'The service has too much to do right now. Try again shortly.',
} as const;

/**
 * Begins one request in each turn of the event loop. A page takes milliseconds to render; a hundred of them, read from a
 * hundred sockets in one turn, would hold up every redirect for their sum.
 */
export function takeTurns(handle: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = [];
  let isRunning = false;

  function runOne(): void {
    const [req, res] = waiting.shift() ?? [];
    isRunning = waiting.length > 0;
    // Not before what has arrived meanwhile was read: a callback that is set here runs after that.
    if (isRunning) setImmediate(runOne);
    if (req && res && !res.destroyed) handle(req, res);
  }

  return (req, res) => {
    if (waiting.length >= mostWaiting) {
      res.setHeader('Retry-After', '5');
      return refuse(res, busy);
    }
    waiting.push([req, res]);
    if (isRunning) return;
    isRunning = true;
    setImmediate(runOne);
  };
}
