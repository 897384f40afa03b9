import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';

const pauseMs = 30_000;

/** A server that is away is tried several times a second. */
export function logConnectionErrors(log: Log): (err: unknown) => void {
  return throttle(
    (err, times) => log.warn({ err, times }, 'the connection to the queue failed, and is tried again'),
    { pauseMs },
  );
}
