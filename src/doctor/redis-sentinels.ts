import { closeRedis, openRedisServer, type RedisPlace } from '../queue/redis-client.ts';
import { probeServers } from '../queue/redis-errors.ts';
import { redisAddress } from '../store/redis-address.ts';
import { type Finding, findingsFor } from './finding.ts';
import { pluralize, withoutPeriod } from './format.ts';

const { ok, warning, failure } = findingsFor('redis');

/** Whether the sentinels can replace a primary that fails, and have something to replace it with. */
export async function checkSentinels(place: RedisPlace, info: Map<string, string>): Promise<Finding[]> {
  const servers = await probeServers(place);
  const down = servers.filter(({ error }) => error);
  const replicas = Number(info.get('connected_slaves') ?? 0);
  return [
    down.length === 0
      ? ok(
          `${pluralize(servers.length, 'sentinel')} of REDIS_URL ${servers.length === 1 ? 'responds' : 'respond'}.`,
        )
      : warning(
          `${down.length} of ${pluralize(servers.length, 'sentinel')} of REDIS_URL cannot be reached: ${down.map(({ server, error }) => `${server} (${withoutPeriod(error?.message ?? '')})`).join(', ')}.`,
          'Start them, or correct REDIS_URL. Most of the sentinels must run, or nothing takes over from a primary that fails.',
        ),
    ...(await checkQuorum(
      place,
      servers.findIndex(({ error }) => !error),
    )),
    assessReplicas(replicas),
  ];
}

/** Asks a sentinel that responds what it knows about the others. */
async function checkQuorum(place: RedisPlace, responding: number): Promise<Finding[]> {
  const { hosts, primary } = redisAddress(place.redisUrl);
  const host = hosts[responding];
  if (!host) return [];
  const sentinel = openRedisServer(place, host);
  sentinel.on('error', () => undefined); // the command is rejected as well
  try {
    await sentinel.connect();
    const others = (await sentinel.call('SENTINEL', 'SENTINELS', primary.name ?? '')) as unknown[];
    const verdict = await sentinel
      .call('SENTINEL', 'CKQUORUM', primary.name ?? '')
      .then(String, (error: unknown) => (error as Error).message);
    return [assessQuorum(others.length + 1, hosts.length, verdict)];
  } catch {
    // Managed servers may forbid these commands.
    return [];
  } finally {
    closeRedis(sentinel);
  }
}

export function assessQuorum(known: number, named: number, verdict: string): Finding {
  if (!verdict.startsWith('OK')) {
    return failure(
      `The sentinels cannot agree on a failover (${withoutPeriod(verdict)}): if the primary fails, scans stay in the spool.`,
      'Start the sentinels that are down. A majority of all that know the primary must run; those that are gone for good are forgotten after `SENTINEL RESET`.',
    );
  }
  if (known < 3) {
    return warning(
      `${pluralize(known, 'sentinel')} ${known === 1 ? 'watches' : 'watch'} the primary: when one of them is lost, nothing takes over.`,
      'Run three or more sentinels on different machines.',
    );
  }
  if (named < 2) {
    return warning(
      `REDIS_URL names one of ${known} sentinels: while that one is down, processes that start find no primary.`,
      'Name all sentinels in REDIS_URL.',
    );
  }
  return ok(`${known} sentinels watch the primary and can agree on a failover.`);
}

export function assessReplicas(replicas: number): Finding {
  if (replicas > 0) return ok(`${pluralize(replicas, 'replica')} connected to the primary.`);
  return warning(
    'No replica is connected to the primary: nothing can take over from it.',
    'Start a replica, or check its log and its connection to the primary.',
  );
}
