import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { LiveScans } from './live-scans.ts';

/** Each process; the next one gets told to come back later. */
const mostStreams = 500;
const mostStreamsAUser = 20;
/** Then the browser asks again, and whether it may is looked at anew. */
const streamLifetimeMs = 5 * 60_000;
/** Proxies cut what is silent for longer; and a browser that is gone is noticed. */
const heartbeatMs = 20_000;
const mostUnreadBytes = 64 * 1024;
const comeBackMs = 1_000;
const comeBackLaterMs = 30_000;

export interface CodeEvents {
  /** Answers with a stream of server-sent events about the code, which must be the user's. */
  stream(ctx: Context, userId: string, codeId: string): void;
}

/** Streams end when the browser leaves, after some minutes, and at once when the process is about to end. */
export function createCodeEvents(live: LiveScans, closing: AbortSignal): CodeEvents {
  /** How to end each open stream, and whose it is. */
  const open = new Map<() => void, string>();
  closing.addEventListener('abort', () => {
    for (const end of open.keys()) end();
  });

  function isFullFor(userId: string): boolean {
    const own = [...open.values()].filter((id) => id === userId).length;
    return open.size >= mostStreams || own >= mostStreamsAUser;
  }

  function start(res: ServerResponse, userId: string, codeId: string): void {
    const end = () => void res.end();
    const send = (text: string) => {
      // Whoever does not read is not waited for, and finds the newest state when they ask again.
      if (res.writableLength > mostUnreadBytes) res.destroy();
      else res.write(text);
    };
    open.set(end, userId);
    send(`retry: ${comeBackMs}\n\n`);
    const unwatch = live.watch(codeId, {
      tell: (state) => send(`data: ${JSON.stringify(state)}\n\n`),
      end,
    });
    const heartbeat = setInterval(() => send(':\n\n'), heartbeatMs);
    const lifetime = setTimeout(end, streamLifetimeMs);
    res.once('close', () => {
      open.delete(end);
      unwatch();
      clearInterval(heartbeat);
      clearTimeout(lifetime);
    });
  }

  return {
    stream(ctx, userId, codeId) {
      ctx.status = 200;
      ctx.type = 'text/event-stream';
      // Some proxies would gather it.
      ctx.set('X-Accel-Buffering', 'no');
      const isFull = isFullFor(userId);
      if (ctx.method === 'HEAD' || closing.aborted || isFull) {
        // An answer that browsers take as a reason to ask again; a refusal would be the last they hear.
        ctx.body = `retry: ${isFull ? comeBackLaterMs : comeBackMs}\n\n`;
        return;
      }
      // Not as a body for Koa: it would report each browser that leaves as a failure.
      ctx.respond = false;
      ctx.res.flushHeaders();
      start(ctx.res, userId, codeId);
    },
  };
}
