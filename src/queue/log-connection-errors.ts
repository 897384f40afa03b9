import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { RedisPlace } from './redis-client.ts';
import { tlsProblem } from './redis-errors.ts';
import { findCause } from './redis-probe.ts';

const pauseMs = 30_000;

/** Throttled, because reconnecting to a server that is down fails several times a second. */
export function logConnectionErrors(log: Log, redis?: RedisPlace): (err: unknown) => void {
  function report(err: unknown, times: number): void {
    const tls = tlsProblem(err);
    log.warn(
      { err, times },
      tls
        ? `the connection to the queue failed: ${tls.problem}. ${tls.remedy}`
        : 'the connection to the queue failed; retrying',
    );
  }
  async function reportCause(given: unknown, times: number): Promise<void> {
    const cause = redis && given instanceof Error ? await findCause(redis, given) : given;
    report(cause, times);
  }
  return throttle((err, times) => void reportCause(err, times), { pauseMs });
}
