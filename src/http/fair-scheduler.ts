import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createFairQueue } from './fair-queue.ts';
import { refuse } from './malformed-request.ts';

/** Above this number, the client with the most waiting requests gets a 503 for its newest one. */
const maxWaiting = 1_000;

const busy = {
  status: 503,
  error: 'internal_error',
  message: 'The service is overloaded. Try again shortly.',
} as const;

/** A request that blocks the event loop for longer than this is followed by a pause of the same length. */
const shortMs = 1;

/**
 * Starts at most one request per turn of the event loop, and pauses after a slow one. Rendering a page takes milliseconds;
 * a hundred pages rendered in one turn would delay every redirect by their sum. Clients are served round-robin, so a
 * client that sends a thousand requests delays only itself.
 */
export function scheduleFairly(
  handle: RequestListener,
  clientOf: (req: IncomingMessage) => string,
): RequestListener {
  const waiting = createFairQueue<[IncomingMessage, ServerResponse]>();
  let isRunning = false;
  let startedAt = 0;

  /** Both callbacks run in the same turn; all synchronous work of the request happens between them and is measured. */
  function schedule(): void {
    setImmediate(startNext);
    setImmediate(scheduleNext);
  }

  function startNext(): void {
    startedAt = performance.now();
    const [req, res] = waiting.next() ?? [];
    if (req && res && !res.destroyed) handle(req, res);
  }

  function scheduleNext(): void {
    isRunning = waiting.size() > 0;
    if (!isRunning) return;
    const tookMs = performance.now() - startedAt;
    if (tookMs > shortMs) setTimeout(schedule, tookMs);
    else schedule();
  }

  return (req, res) => {
    waiting.add(clientOf(req), [req, res]);
    if (waiting.size() > maxWaiting) {
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
