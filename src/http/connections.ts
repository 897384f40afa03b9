import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** A further connection takes the place of one that is idle, or whose client keeps us waiting. */
  maxConnections: number;
  /** Pipelined requests that may wait for the answer to the one before them. */
  maxWaitingRequests: number;
  /** What may wait to be sent, over all connections. */
  maxUnsentBytes: number;
  /** A client that takes nothing of what waits for it for this long is cut. */
  stallMs: number;
  /** A request for which no answer has begun by then never gets one. */
  answerMs: number;
  checkEveryMs: number;
}

export type CutReason = 'pipelining' | 'stalled' | 'memory' | 'unanswered' | 'too_many';

interface Connection {
  /** The latest answer that was begun; it may have been sent by now. */
  latest: ServerResponse | undefined;
  waiting: [IncomingMessage, ServerResponse][];
  /** The check at which its latest answer began, or was found to be sent. */
  usedAt: number;
  /** What waited to be sent at the last check, and for how many checks that has not changed. */
  unsentBytes: number;
  queuedBytes: number;
  stalledChecks: number;
}

/**
 * Bounds what one connection, and all of them together, can make the process hold. Node parses all pipelined requests
 * of a chunk at once and would handle them all at once: here each is handled when the one before it has been sent.
 */
export function limitConnections(
  server: Server,
  handle: RequestListener,
  limits: ConnectionLimits,
  onCut: (reason: CutReason) => void,
): { listener: RequestListener; stop(): void } {
  const connections = new Map<Socket, Connection>();
  /** Those on which no request has arrived yet, oldest first. */
  const silent = new Set<Socket>();
  const stallChecks = Math.ceil(limits.stallMs / limits.checkEveryMs);
  const answerChecks = Math.ceil(limits.answerMs / limits.checkEveryMs);
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
    };
    connections.set(socket, connection);
    silent.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      silent.delete(socket);
      connection.waiting = [];
    });
  }

  function begin(connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    connection.latest = res;
    connection.usedAt = checks;
    handle(req, res);
  }

  /** Only where a request waits: a listener on each response would cost a redirect a tenth of its time. */
  function beginNextAfter(res: ServerResponse, connection: Connection, socket: Socket): void {
    res.once('close', () => {
      const following = connection.waiting.shift();
      if (!following || socket.destroyed) return;
      if (connection.waiting.length > 0) beginNextAfter(following[1], connection, socket);
      begin(connection, ...following);
    });
  }

  /** The one that has never asked for longest, else the one that is longest in a state in which nothing of ours is at stake. */
  function closeAnother(): boolean {
    const [neverAsked] = silent;
    const chosen = neverAsked ?? longest(isIdle) ?? longest(isArriving) ?? longest(isUnread);
    if (!chosen) return false;
    // Its close is told later, and the next newcomer needs another place.
    silent.delete(chosen);
    connections.delete(chosen);
    cut(chosen, 'too_many');
    return true;
  }

  function longest(isMeant: (connection: Connection) => boolean): Socket | undefined {
    let chosen: Socket | undefined;
    let usedAt = Number.POSITIVE_INFINITY;
    for (const [socket, connection] of connections) {
      if (socket.destroyed || connection.usedAt >= usedAt || !isMeant(connection)) continue;
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
      measure(socket, connection);
      if (connection.stalledChecks >= stallChecks) cut(socket, 'stalled');
      else if (!latest.headersSent && checks - connection.usedAt > answerChecks) cut(socket, 'unanswered');
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
      // What else was in the chunk of a connection that has been cut.
      if (!connection || socket.destroyed) return;
      silent.delete(socket);
      const { latest, waiting } = connection;
      if (waiting.length === 0 && (!latest || latest.writableFinished)) begin(connection, req, res);
      else if (waiting.length < limits.maxWaitingRequests) {
        if (waiting.length === 0 && latest) beginNextAfter(latest, connection, socket);
        waiting.push([req, res]);
      } else {
        stopParsing(socket);
        cut(socket, 'pipelining');
      }
    },
    stop: () => clearInterval(checking),
  };
}

const isIdle = ({ latest, waiting }: Connection) =>
  waiting.length === 0 && (!latest || latest.writableFinished);
/** Its body has not come whole, and nothing was answered yet: we wait for the client. */
const isArriving = ({ latest }: Connection) =>
  latest !== undefined && !latest.headersSent && !latest.req.complete;
const isUnread = ({ stalledChecks }: Connection) => stalledChecks > 0;

/**
 * Node would make a request of everything else in the chunk, up to 2,600 of them, and then an error for each: a tenth of a
 * second. An answer of 2, as for an upgrade, makes its parser stop.
 */
function stopParsing(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser && 'onIncoming' in parser) parser.onIncoming = () => 2;
}

function measure(socket: Socket, connection: Connection): void {
  const unsentBytes = socket.writableLength;
  const queuedBytes = queuedIn(socket);
  const hasMoved = unsentBytes !== connection.unsentBytes || queuedBytes !== connection.queuedBytes;
  connection.stalledChecks = unsentBytes === 0 || hasMoved ? 0 : connection.stalledChecks + 1;
  connection.unsentBytes = unsentBytes;
  connection.queuedBytes = queuedBytes;
}

/** How far a long write has come is known to the handle alone; Node's own socket timeout looks there as well. */
function queuedIn(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const size: unknown = typeof handle === 'object' && handle && Reflect.get(handle, 'writeQueueSize');
  return typeof size === 'number' ? size : 0;
}
