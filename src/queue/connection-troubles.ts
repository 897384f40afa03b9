import type { Log } from '../telemetry/log.ts';

const pauseMs = 30_000;

/** A server that is away is tried several times a second: the same trouble is told now and then, not each time. */
export function tellTroubles(log: Log): (err: Error) => void {
  let last = '';
  let toldAt = 0;
  return (err) => {
    const isNew = err.message !== last || Date.now() - toldAt >= pauseMs;
    if (!isNew) return;
    last = err.message;
    toldAt = Date.now();
    log.warn({ err }, 'the connection to the queue has failed, and is tried again');
  };
}
