import type { IncomingMessage, RequestListener } from 'node:http';
import { createFairScheduler } from '../runtime/fair-scheduler.ts';
import { refuse } from './malformed-request.ts';

/** Above this number, beside the one that is started, the client with the most gets a 503 for its newest request. */
const maxWaiting = 999;

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
export function scheduleRequests(
  handle: RequestListener,
  clientOf: (req: IncomingMessage) => string,
): RequestListener {
  const starts = createFairScheduler({
    slots: 1,
    waitingPerKey: maxWaiting,
    waiting: maxWaiting,
    // The server closes connections whose response does not start in time.
    maxWaitMs: 120_000,
  });

  return (req, res) => {
    starts.acquire({ key: clientOf(req) }).then(
      (release) => {
        let startedAt = 0;
        // Both callbacks run in the same turn; all synchronous work of the request happens between them and is measured.
        setImmediate(() => {
          startedAt = performance.now();
          if (!res.destroyed) handle(req, res);
        });
        setImmediate(() => {
          const tookMs = performance.now() - startedAt;
          if (tookMs > shortMs) setTimeout(release, tookMs);
          else release();
        });
      },
      () => {
        if (res.destroyed) return;
        res.setHeader('Retry-After', '5');
        refuse(res, busy);
      },
    );
  };
}
