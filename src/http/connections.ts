import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** At the limit, a new connection replaces one that is idle or whose client keeps us waiting. */
  maxConnections: number;
  /** Pipelined requests that may wait for the response to the one before them. */
  maxWaitingRequests: number;
  /** Response bytes that may wait to be sent, over all connections. */
  maxUnsentBytes: number;
  /** The connection of a client that reads nothing for this long is closed. */
  stallMs: number;
  /** So is that of one that reads less than this in that time: a byte now and then would keep what sends to it for hours. */
  minReadBytes: number;
  /** The connection of a request whose response has not started by then is closed. */
  responseMs: number;
  checkEveryMs: number;
}

export type CutReason = 'pipelining' | 'stalled' | 'memory' | 'unanswered' | 'too_many';

interface Connection {
  /** The latest response that was started; it may be finished by now. */
  latest: ServerResponse | undefined;
  waiting: [IncomingMessage, ServerResponse][];
  /** The number of the check at which its latest response started, or was found finished. */
  usedAt: number;
  /** Unsent bytes at the last check, and for how many checks they have not changed. */
  unsentBytes: number;
  queuedBytes: number;
  stalledChecks: number;
  /** Bytes sent when the client had last read enough, and the number of checks since then. */
  sentBytes: number;
  slowChecks: number;
}

/**
 * Bounds the memory that one connection, and all of them together, can use. Node parses all pipelined requests of a chunk
 * and would handle them concurrently; here each one is handled when the response before it has been sent.
 */
export function limitConnections(
  server: Server,
  handle: RequestListener,
  limits: ConnectionLimits,
  onCut: (reason: CutReason) => void,
): { listener: RequestListener; stop(): void } {
  const connections = new Map<Socket, Connection>();
  /** Sockets on which no request has arrived yet, oldest first. */
  const silent = new Set<Socket>();
  const stallChecks = Math.ceil(limits.stallMs / limits.checkEveryMs);
  const responseChecks = Math.ceil(limits.responseMs / limits.checkEveryMs);
  let checks = 0;

  function cut(socket: Socket, reason: CutReason): void {
    socket.destroy();
    onCut(reason);
  }

  function track(socket: Socket): void {
    const connection: Connection = {
      latest: undefined,
      waiting: [],
      usedAt: checks,
      unsentBytes: 0,
      queuedBytes: 0,
      stalledChecks: 0,
      sentBytes: 0,
      slowChecks: 0,
    };
    connections.set(socket, connection);
    silent.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      silent.delete(socket);
      connection.waiting = [];
    });
  }

  function start(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    connection.latest = res;
    connection.usedAt = checks;
    handle(req, res);
  }

  /** Used only when a request waits: a listener on every response would make redirects 10% slower. */
  function startNextAfter(res: ServerResponse, connection: Connection, socket: Socket): void {
    res.once('close', () => {
      const next = connection.waiting.shift();
      if (!next || isClosing(socket)) return;
      if (connection.waiting.length > 0) startNextAfter(next[1], connection, socket);
      start(connection, ...next);
    });
  }

  /** Closes the oldest socket without a request, else the longest idle, still sending, or not reading one. */
  function closeAnother(): boolean {
    const [oldestSilent] = silent;
    const chosen = oldestSilent ?? longest(isIdle) ?? longest(isArriving) ?? longest(isUnread);
    if (!chosen) return false;
    // Removed here, because the close event comes later and the next new connection must not choose this one again.
    silent.delete(chosen);
    connections.delete(chosen);
    cut(chosen, 'too_many');
    return true;
  }

  function longest(matches: (connection: Connection) => boolean): Socket | undefined {
    let chosen: Socket | undefined;
    let usedAt = Number.POSITIVE_INFINITY;
    for (const [socket, connection] of connections) {
      if (socket.destroyed || connection.usedAt >= usedAt || !matches(connection)) continue;
      chosen = socket;
      usedAt = connection.usedAt;
    }
    return chosen;
  }

  server.on('connection', (socket: Socket) => {
    if (connections.size >= limits.maxConnections && !closeAnother()) cut(socket, 'too_many');
    else track(socket);
  });

  function checkAll(): void {
    checks += 1;
    const slow: [Socket, Connection][] = [];
    let unsent = 0;
    for (const [socket, connection] of connections) {
      const { latest } = connection;
      if (!latest || socket.destroyed) continue;
      if (latest.writableFinished) {
        connection.latest = undefined;
        connection.usedAt = checks;
        continue;
      }
      measure(socket, connection, limits.minReadBytes);
      if (Math.max(connection.stalledChecks, connection.slowChecks) >= stallChecks) cut(socket, 'stalled');
      else if (!latest.headersSent && checks - connection.usedAt > responseChecks) cut(socket, 'unanswered');
      else if (connection.unsentBytes > 0) {
        unsent += connection.unsentBytes;
        slow.push([socket, connection]);
      }
    }
    if (unsent <= limits.maxUnsentBytes) return;
    slow.sort(([, a], [, b]) => b.stalledChecks - a.stalledChecks || b.unsentBytes - a.unsentBytes);
    for (const [socket, connection] of slow) {
      if (unsent <= limits.maxUnsentBytes) return;
      unsent -= connection.unsentBytes;
      cut(socket, 'memory');
    }
  }

  const checking = setInterval(checkAll, limits.checkEveryMs).unref();
  return {
    listener(req, res) {
      const { socket } = req;
      const connection = connections.get(socket);
      // A request after the last one of its connection.
      if (!connection || isClosing(socket)) return;
      silent.delete(socket);
      const { latest, waiting } = connection;
      if (waiting.length === 0 && (!latest || latest.writableFinished)) start(connection, req, res);
      else if (waiting.length < limits.maxWaitingRequests) {
        if (waiting.length === 0 && latest) startNextAfter(latest, connection, socket);
        waiting.push([req, res]);
      } else {
        stopParsing(socket);
        cut(socket, 'pipelining');
      }
    },
    stop: () => clearInterval(checking),
  };
}

/** The last response has been sent. Of a request that follows, the client would not learn whether it was handled. */
const isClosing = (socket: Socket) => socket.destroyed || socket.writableEnded;
const isIdle = ({ latest, waiting }: Connection) =>
  waiting.length === 0 && (!latest || latest.writableFinished);
/** The request body is incomplete and no response has started: we are waiting for the client. */
const isArriving = ({ latest }: Connection) =>
  latest !== undefined && !latest.headersSent && !latest.req.complete;
const isUnread = ({ stalledChecks }: Connection) => stalledChecks > 0;

/**
 * Node would parse the rest of the chunk, up to 2,600 requests, and emit an error for each: a tenth of a second. A return
 * value of 2, as for an upgrade, stops its parser.
 */
function stopParsing(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser && 'onIncoming' in parser) parser.onIncoming = () => 2;
}

function measure(socket: Socket, connection: Connection, minReadBytes: number): void {
  const unsentBytes = socket.writableLength;
  const queuedBytes = queuedBytesOf(socket);
  const hasProgress = unsentBytes !== connection.unsentBytes || queuedBytes !== connection.queuedBytes;
  connection.stalledChecks = unsentBytes === 0 || hasProgress ? 0 : connection.stalledChecks + 1;
  connection.unsentBytes = unsentBytes;
  connection.queuedBytes = queuedBytes;
  const sentBytes = dispatchedBytesOf(socket) - queuedBytes;
  if (unsentBytes > 0 && sentBytes - connection.sentBytes < minReadBytes) connection.slowChecks += 1;
  else {
    connection.slowChecks = 0;
    connection.sentBytes = sentBytes;
  }
}

/** Handed over to the handle. `bytesWritten` of the socket includes what waits for that. */
function dispatchedBytesOf(socket: Socket): number {
  const bytes: unknown = Reflect.get(socket, '_bytesDispatched');
  return typeof bytes === 'number' ? bytes : socket.bytesWritten - socket.writableLength;
}

/** Only the handle knows the progress of a long write. Node's own socket timeout reads it too. */
function queuedBytesOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const size: unknown = typeof handle === 'object' && handle && Reflect.get(handle, 'writeQueueSize');
  return typeof size === 'number' ? size : 0;
}
