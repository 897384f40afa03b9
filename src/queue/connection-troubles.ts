import type { Log } from '../telemetry/log.ts';

const pauseMs = 30_000;
const mostMessages = 20;

/** A server that is away is tried several times a second: the same trouble is told now and then, not each time. */
export function tellTroubles(log: Log): (err: Error) => void {
  const toldAt = new Map<string, number>();
  return (err) => {
    if (Date.now() - (toldAt.get(err.message) ?? 0) < pauseMs) return;
    if (toldAt.size >= mostMessages) toldAt.clear();
    toldAt.set(err.message, Date.now());
    log.warn({ err }, 'the connection to the queue has failed, and is tried again');
  };
}
