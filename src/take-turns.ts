import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { refuse } from './malformed-request.ts';

/** What waits longer than this many others is better told to come back. */
const mostWaiting = 1_000;

const busy = {
  status: 503,
  error: 'internal_error',
  message: 'The service has too much to do right now. Try again shortly.',
} as const;

/** What takes longer than this is followed by a pause as long as itself. */
const shortMs = 1;

/**
 * Begins one request in each turn of the event loop, and rests after one that took long. A page takes milliseconds to
 * render; a hundred of them, read from a hundred sockets in one turn, would hold up every redirect for their sum.
 */
export function takeTurns(handle: RequestListener): RequestListener {
  const waiting: [IncomingMessage, ServerResponse][] = [];
  let isRunning = false;
  let startedAt = 0;

  /** Both in one turn: between them runs everything that the request can do without waiting. */
  function schedule(): void {
    setImmediate(runOne);
    setImmediate(goOn);
  }

  function runOne(): void {
    startedAt = performance.now();
    const [req, res] = waiting.shift() ?? [];
    if (req && res && !res.destroyed) handle(req, res);
  }

  function goOn(): void {
    isRunning = waiting.length > 0;
    if (!isRunning) return;
    const tookMs = performance.now() - startedAt;
    if (tookMs > shortMs) setTimeout(schedule, tookMs);
    else schedule();
  }

  return (req, res) => {
    if (waiting.length >= mostWaiting) {
      res.setHeader('Retry-After', '5');
      return refuse(res, busy);
    }
    waiting.push([req, res]);
    if (isRunning) return;
    isRunning = true;
    schedule();
  };
}
