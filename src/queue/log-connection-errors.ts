import { redisAddress } from '../store/redis-address.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { RedisPlace } from './redis-client.ts';
import { tlsProblem } from './redis-errors.ts';
import { probeServers } from './redis-probe.ts';

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
  /** The client of a cluster or of sentinels does not say why a server could not be connected. */
  async function findCause(err: unknown): Promise<unknown> {
    if (!redis || redisAddress(redis.redisUrl).kind === 'single') return err;
    const servers = await probeServers(redis);
    return servers.find(({ error }) => error)?.error ?? err;
  }
  async function reportCause(err: unknown, times: number): Promise<void> {
    report(await findCause(err).catch(() => err), times);
  }
  return throttle((err, times) => void reportCause(err, times), { pauseMs });
}
