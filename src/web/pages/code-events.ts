import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { LiveScans } from './live-scans.ts';

/** Each process; the next one gets told to come back later. */
const mostStreams = 500;
const mostStreamsAUser = 20;
const mostUnreadBytes = 64 * 1024;
const comeBackMs = 1_000;
const comeBackLaterMs = 30_000;

interface Rhythm {
  /** Then the browser asks again, maybe another process. */
  lifetimeMs: number;
  /** Proxies cut what is silent for longer; a browser that is gone is noticed, and so is a session that has ended. */
  heartbeatMs: number;
}

const usualRhythm: Rhythm = { lifetimeMs: 5 * 60_000, heartbeatMs: 10_000 };

export interface CodeEvents {
  /** Answers with a stream of server-sent events about the code, which must be the user's, for as long as they may see it. */
  stream(ctx: Context, code: { id: string; userId: string }, mayGoOn: () => Promise<boolean>): void;
}

/** Streams end when the browser leaves, after some minutes, and at once when the process is about to end. */
export function createCodeEvents(
  live: LiveScans,
  closing: AbortSignal,
  { lifetimeMs, heartbeatMs }: Rhythm = usualRhythm,
): CodeEvents {
  /** How to end each open stream, and whose it is. */
  const open = new Map<() => void, string>();
  closing.addEventListener('abort', () => {
    for (const end of open.keys()) end();
  });

  function isFullFor(userId: string): boolean {
    const own = [...open.values()].filter((id) => id === userId).length;
    return open.size >= mostStreams || own >= mostStreamsAUser;
  }

  function start(
    res: ServerResponse,
    { id, userId }: { id: string; userId: string },
    mayGoOn: () => Promise<boolean>,
  ): void {
    const end = () => void res.end();
    const send = (text: string) => {
      if (res.writableEnded) return;
      // Whoever does not read is not waited for, and finds the newest state when they ask again.
      if (res.writableLength > mostUnreadBytes) res.destroy();
      else res.write(text);
    };
    open.set(end, userId);
    send(`retry: ${comeBackMs}\n\n`);
    const unwatch = live.watch(id, {
      tell: (state) => send(`data: ${JSON.stringify(state)}\n\n`),
      end,
    });
    const heartbeat = setInterval(() => {
      mayGoOn().then(
        (may) => (may ? send(':\n\n') : end()),
        () => undefined, // the database cannot be asked now: at the next beat
      );
    }, heartbeatMs);
    const lifetime = setTimeout(end, lifetimeMs);
    res.once('close', () => {
      open.delete(end);
      unwatch();
      clearInterval(heartbeat);
      clearTimeout(lifetime);
    });
  }

  return {
    stream(ctx, code, mayGoOn) {
      ctx.status = 200;
      ctx.type = 'text/event-stream';
      // Some proxies would gather it.
      ctx.set('X-Accel-Buffering', 'no');
      const isFull = isFullFor(code.userId);
      if (ctx.method === 'HEAD' || closing.aborted || isFull) {
        // An answer that browsers take as a reason to ask again; a refusal would be the last they hear.
        ctx.body = `retry: ${isFull ? comeBackLaterMs : comeBackMs}\n\n`;
        return;
      }
      // Not as a body for Koa: it would report each browser that leaves as a failure.
      ctx.respond = false;
      ctx.res.flushHeaders();
      start(ctx.res, code, mayGoOn);
    },
  };
}
