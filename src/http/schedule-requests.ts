import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
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

/** Turns of the event loop that a request waits for while each of them accepts a connection. */
const maxPostponed = 32;

/**
 * Starts at most one request per turn of the event loop, and pauses after a slow one. Rendering a page takes milliseconds;
 * a hundred pages rendered in one turn would delay every redirect by their sum. Clients are served round-robin, so a
 * client that sends a thousand requests delays only itself.
 *
 * Node.js accepts one connection per turn (libuv since 1.45), so turns are kept short while connections arrive: a redirect
 * on a new connection would wait for a page per connection before it.
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

  let hasAccepted = false;
  let postponed = 0;
  subscribe('net.server.socket', () => {
    hasAccepted = true;
  });

  function start(req: IncomingMessage, res: ServerResponse, release: () => void): void {
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
  }

  function startAfterConnections(req: IncomingMessage, res: ServerResponse, release: () => void): void {
    if (!hasAccepted || postponed >= maxPostponed) {
      postponed = 0;
      start(req, res, release);
      return;
    }
    hasAccepted = false;
    postponed += 1;
    setImmediate(startAfterConnections, req, res, release);
  }

  return (req, res) => {
    starts.acquire({ key: clientOf(req) }).then(
      (release) => startAfterConnections(req, res, release),
      () => {
        if (res.destroyed) return;
        res.setHeader('Retry-After', '5');
        refuse(res, busy);
      },
    );
  };
}
