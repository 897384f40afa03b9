import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { LiveScans } from './live-scans.ts';
import { createStreamLimits, type OpenStream } from './stream-limits.ts';

const maxUnsentBytes = 64 * 1024;
const reconnectMs = 1_000;
const reconnectLaterMs = 30_000;

interface Timing {
  /** After this the browser reconnects, possibly to another process. */
  lifetimeMs: number;
  /** Keeps proxies from closing a silent connection, and finds browsers that have left and sessions that have ended. */
  heartbeatMs: number;
}

const defaultTiming: Timing = { lifetimeMs: 5 * 60_000, heartbeatMs: 10_000 };

interface StreamRequest {
  /** Of the code. */
  id: string;
  userId: string;
  address: string;
}

export interface CodeEvents {
  /** Responds with server-sent events about a code, which must be the user's, while `isAllowed` says so. */
  stream(ctx: Context, request: StreamRequest, isAllowed: () => Promise<boolean>): void;
}

/** Streams end when the browser leaves, after their lifetime, and when the process shuts down. */
export function createCodeEvents(
  live: LiveScans,
  closing: AbortSignal,
  { lifetimeMs, heartbeatMs }: Timing = defaultTiming,
): CodeEvents {
  const limits = createStreamLimits();
  const ends = new Set<() => void>();
  closing.addEventListener('abort', () => {
    for (const end of ends) end();
  });

  function start(
    res: ServerResponse,
    codeId: string,
    stream: OpenStream,
    isAllowed: () => Promise<boolean>,
  ): void {
    const end = () => void res.end();
    const write = (text: string) => {
      if (res.writableEnded || res.destroyed) return;
      // A client that does not read is disconnected. It gets the current state when it reconnects.
      if (res.writableLength > maxUnsentBytes) res.destroy();
      else res.write(text);
    };
    ends.add(end);
    write(retry(reconnectMs));
    const unwatch = live.watch(codeId, {
      send: (update) => write(`data: ${JSON.stringify(update)}\n\n`),
      end,
    });
    const heartbeat = setInterval(() => {
      isAllowed()
        .then((allowed) => (allowed ? write(':\n\n') : end()))
        .catch(() => undefined); // the database does not answer: decided at the next heartbeat
    }, heartbeatMs);
    const lifetime = setTimeout(end, lifetimeMs);
    res.once('close', () => {
      ends.delete(end);
      limits.release(stream);
      unwatch();
      clearInterval(heartbeat);
      clearTimeout(lifetime);
    });
  }

  return {
    stream(ctx, { id, userId, address }, isAllowed) {
      const { res } = ctx;
      // The client left during the lookup of the code: the close event has already passed and would not come again.
      if (res.destroyed || ctx.req.socket.destroyed) {
        ctx.respond = false;
        return;
      }
      ctx.status = 200;
      ctx.type = 'text/event-stream';
      // Keeps nginx from buffering the stream.
      ctx.set('X-Accel-Buffering', 'no');
      // An evicted stream reconnects later: at once, it would evict the next one.
      const stream = { userId, address, evict: () => void res.end(retry(reconnectLaterMs)) };
      const isWanted = ctx.method !== 'HEAD' && !closing.aborted;
      if (!isWanted || !limits.acquire(stream)) {
        // Browsers do not reconnect after an error status, but they do after an empty stream.
        ctx.body = retry(isWanted ? reconnectLaterMs : reconnectMs);
        return;
      }
      // Not through Koa, which would report every browser that leaves as an error.
      ctx.respond = false;
      res.flushHeaders();
      start(res, id, stream, isAllowed);
    },
  };
}

const retry = (ms: number) => `retry: ${ms}\n\n`;
