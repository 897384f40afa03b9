import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { LiveScans } from './live-scans.ts';
import { createStreamPlaces, type OpenStream } from './stream-places.ts';

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

/** Whose stream it is, and about which code. */
interface StreamRequest {
  id: string;
  userId: string;
  address: string;
}

export interface CodeEvents {
  /** Answers with a stream of server-sent events about the code, which must be the user's, for as long as they may see it. */
  stream(ctx: Context, asked: StreamRequest, mayGoOn: () => Promise<boolean>): void;
}

/** Streams end when the browser leaves, after some minutes, and at once when the process is about to end. */
export function createCodeEvents(
  live: LiveScans,
  closing: AbortSignal,
  { lifetimeMs, heartbeatMs }: Rhythm = usualRhythm,
): CodeEvents {
  const places = createStreamPlaces();
  const ends = new Set<() => void>();
  closing.addEventListener('abort', () => {
    for (const end of ends) end();
  });

  function start(
    res: ServerResponse,
    codeId: string,
    place: OpenStream,
    mayGoOn: () => Promise<boolean>,
  ): void {
    const end = () => void res.end();
    const send = (text: string) => {
      if (res.writableEnded || res.destroyed) return;
      // Whoever does not read is not waited for, and finds the newest state when they ask again.
      if (res.writableLength > mostUnreadBytes) res.destroy();
      else res.write(text);
    };
    ends.add(end);
    send(retry(comeBackMs));
    const unwatch = live.watch(codeId, {
      tell: (state) => send(`data: ${JSON.stringify(state)}\n\n`),
      end,
    });
    const heartbeat = setInterval(() => {
      mayGoOn()
        .then((may) => (may ? send(':\n\n') : end()))
        .catch(() => undefined); // the database cannot be asked now: at the next beat
    }, heartbeatMs);
    const lifetime = setTimeout(end, lifetimeMs);
    res.once('close', () => {
      ends.delete(end);
      places.leave(place);
      unwatch();
      clearInterval(heartbeat);
      clearTimeout(lifetime);
    });
  }

  return {
    stream(ctx, { id, userId, address }, mayGoOn) {
      const { res } = ctx;
      // Gone while the code was looked up: its close was told already, and would never end the stream.
      if (res.destroyed || ctx.req.socket.destroyed) {
        ctx.respond = false;
        return;
      }
      ctx.status = 200;
      ctx.type = 'text/event-stream';
      // Some proxies would gather it.
      ctx.set('X-Accel-Buffering', 'no');
      // Not at once again: it would only take the place of the next.
      const place = { userId, address, giveWay: () => void res.end(retry(comeBackLaterMs)) };
      const isAsking = ctx.method !== 'HEAD' && !closing.aborted;
      const hasPlace = isAsking && places.take(place);
      if (!hasPlace) {
        // An answer that browsers take as a reason to ask again; a refusal would be the last they hear.
        ctx.body = retry(isAsking ? comeBackLaterMs : comeBackMs);
        return;
      }
      // Not as a body for Koa: it would report each browser that leaves as a failure.
      ctx.respond = false;
      res.flushHeaders();
      start(res, id, place, mayGoOn);
    },
  };
}

const retry = (ms: number) => `retry: ${ms}\n\n`;
