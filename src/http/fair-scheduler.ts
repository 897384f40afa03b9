import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createFairQueue } from './fair-queue.ts';
import { refuse } from './malformed-request.ts';

/** Beyond this many, the latest of the client with most of them is better told to come back. */
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
 * Clients take turns with each other: whoever sends a thousand requests waits for them, and nobody else does.
 */
export function scheduleFairly(
  handle: RequestListener,
  clientOf: (req: IncomingMessage) => string,
): RequestListener {
  const waiting = createFairQueue<[IncomingMessage, ServerResponse]>();
  let isRunning = false;
  let startedAt = 0;

  /** Both in one turn: between them runs everything that the request can do without waiting. */
  function schedule(): void {
    setImmediate(runOne);
    setImmediate(goOn);
  }

  function runOne(): void {
    startedAt = performance.now();
    const [req, res] = waiting.next() ?? [];
    if (req && res && !res.destroyed) handle(req, res);
  }

  function goOn(): void {
    isRunning = waiting.size() > 0;
    if (!isRunning) return;
    const tookMs = performance.now() - startedAt;
    if (tookMs > shortMs) setTimeout(schedule, tookMs);
    else schedule();
  }

  return (req, res) => {
    waiting.add(clientOf(req), [req, res]);
    if (waiting.size() > mostWaiting) {
      const [, refused] = waiting.dropLatestOfBusiest() ?? [];
      if (refused && !refused.destroyed) {
        refused.setHeader('Retry-After', '5');
        refuse(refused, busy);
      }
    }
    if (isRunning) return;
    isRunning = true;
    schedule();
  };
}
