import { withTimeout } from '../runtime/timeout.ts';

/** Messages between a process and its parent, besides "ready" and "alive". */
type RpcMessage = { requestId: number } | { responseTo: number; value: unknown };

interface Channel {
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

type Send = (message: RpcMessage) => void;

/** Calls the other end of the channel. Rejects when there is no response in time. */
export type RpcCall = (timeoutMs: number) => Promise<unknown>;

/** Remote procedure calls over the IPC channel of two processes. Each side offers one procedure: `handle`. */
export function createRpc(channel: Channel, send: Send, handle: () => Promise<unknown>): RpcCall {
  const pending = new Map<number, (value: unknown) => void>();
  let lastId = 0;
  channel.on('message', (received) => {
    const message = received as RpcMessage;
    if (typeof message !== 'object' || message === null) return;
    if ('requestId' in message) {
      // There is no error response: the caller times out.
      handle().then(
        (value) => send({ responseTo: message.requestId, value }),
        () => undefined,
      );
    } else if ('responseTo' in message) {
      pending.get(message.responseTo)?.(message.value);
    }
  });
  return async (timeoutMs) => {
    const id = (lastId += 1);
    const response = new Promise((resolve) => {
      pending.set(id, resolve);
      send({ requestId: id });
    });
    return withTimeout(timeoutMs, response).finally(() => pending.delete(id));
  };
}
