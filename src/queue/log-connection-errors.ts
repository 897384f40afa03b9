import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';

const pauseMs = 30_000;

/** Throttled, because reconnecting to a server that is down fails several times a second. */
export function logConnectionErrors(log: Log): (err: unknown) => void {
  return throttle((err, times) => log.warn({ err, times }, 'the connection to the queue failed; retrying'), {
    pauseMs,
  });
}
