import type { Log } from '../telemetry/log.ts';
import { nowAndThen } from '../telemetry/now-and-then.ts';

const pauseMs = 30_000;

/** A server that is away is tried several times a second. */
export function tellTroubles(log: Log): (err: unknown) => void {
  return nowAndThen(
    (err, times) => log.warn({ err, times }, 'the connection to the queue failed, and is tried again'),
    { pauseMs },
  );
}
