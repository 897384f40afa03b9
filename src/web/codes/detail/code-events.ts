import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { LiveScans } from './live-scans.tsx';

const maxUnsentBytes = 64 * 1024;
const reconnectMs = 1_000;
const reconnectLaterMs = 30_000;

interface Timing {
  /** After this the browser reconnects, possibly to another process. */
  lifetimeMs: number;
  /** Keeps proxies from closing a silent connection, and finds browsers that have left. */
  heartbeatMs: number;
}

const defaultTiming: Timing = { lifetimeMs: 5 * 60_000, heartbeatMs: 10_000 };

interface StreamRequest {
  /** The id of the code. */
  id: string;
  /** An account, or one of the strangers who look at the demo. */
  viewer: string;
  address: string;
}

interface CodeEvents {
  /** Responds with server-sent events about a code, which must be the viewer's, until `watchAccess` ends them. */
  stream(ctx: Context, request: StreamRequest, watchAccess: WatchAccess): void;
}

/** Calls `end` when the viewer may not see the code any more. Returns a function that stops it. */
type WatchAccess = (end: () => void) => () => void;

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

  function start(res: ServerResponse, codeId: string, stream: OpenStream, watchAccess: WatchAccess): void {
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
    const unwatchAccess = watchAccess(end);
    const heartbeat = setInterval(() => write(':\n\n'), heartbeatMs);
    const lifetime = setTimeout(end, lifetimeMs);
    res.once('close', () => {
      ends.delete(end);
      limits.release(stream);
      unwatch();
      unwatchAccess();
      clearInterval(heartbeat);
      clearTimeout(lifetime);
    });
  }

  return {
    stream(ctx, { id, viewer, address }, watchAccess) {
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
      const stream = { viewer, address, evict: () => void res.end(retry(reconnectLaterMs)) };
      const isWanted = ctx.method !== 'HEAD' && !closing.aborted;
      if (!isWanted || !limits.acquire(stream)) {
        // Browsers do not reconnect after an error status, but they do after an empty stream.
        ctx.body = retry(isWanted ? reconnectLaterMs : reconnectMs);
        return;
      }
      // Not through Koa, which would report every browser that leaves as an error.
      ctx.respond = false;
      res.flushHeaders();
      start(res, id, stream, watchAccess);
    },
  };
}

const retry = (ms: number) => `retry: ${ms}\n\n`;

/** Per process. */
const maxStreams = 500;
/** Enough for an office behind one address, while a few addresses cannot use up all streams. */
const maxStreamsPerAddress = 100;
const maxStreamsPerViewer = 20;

interface OpenStream {
  viewer: string;
  address: string;
  /** Closes it because another stream takes its slot. */
  evict(): void;
}

/** The open streams, oldest first. */
interface StreamLimits {
  /** At a limit, evicts the oldest stream of the client with the most. False if the new stream's client would then have as many. */
  acquire(stream: OpenStream): boolean;
  release(stream: OpenStream): void;
}

function createStreamLimits(): StreamLimits {
  const open = new Set<OpenStream>();

  /** Evicts a stream of the viewer or address that has most of `streams`, unless the newcomer would then have as many. */
  function makeRoom(streams: OpenStream[], newcomer: OpenStream, by: 'viewer' | 'address'): boolean {
    const counts = new Map<string, number>();
    for (const stream of streams) counts.set(stream[by], (counts.get(stream[by]) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (most <= (counts.get(newcomer[by]) ?? 0) + 1) return false;
    const oldest = streams.find((stream) => counts.get(stream[by]) === most);
    if (oldest) evict(oldest);
    return true;
  }

  function evict(stream: OpenStream): void {
    // Its slot is free at once; its close event comes later.
    open.delete(stream);
    stream.evict();
  }

  return {
    acquire(newcomer) {
      const all = [...open];
      const ofViewer = all.filter(({ viewer }) => viewer === newcomer.viewer);
      const ofAddress = all.filter(({ address }) => address === newcomer.address);
      // A tab that was just opened is in use; the oldest of twenty probably is not.
      if (ofViewer[0] && ofViewer.length >= maxStreamsPerViewer) evict(ofViewer[0]);
      else if (ofAddress.length >= maxStreamsPerAddress && !makeRoom(ofAddress, newcomer, 'viewer'))
        return false;
      else if (open.size >= maxStreams && !makeRoom(all, newcomer, 'address')) return false;
      open.add(newcomer);
      return true;
    },
    release: (stream) => void open.delete(stream),
  };
}
