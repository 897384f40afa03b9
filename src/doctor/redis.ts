import { Cluster, type Redis } from 'ioredis';
import { hashSlot, hashSlots, scanQueue } from '../queue/scan-queue.ts';
import type { QueuePlace } from '../queue/queue-connection.ts';
import { queuesFor } from '../queue/queues.ts';
import { type RedisPlace, closeRedis, openRedisOnce, openRedisServer } from '../queue/redis-client.ts';
import { findCause, probeServers, tlsFailure } from '../queue/redis-errors.ts';
import { redisAddress, redisServerName } from '../store/redis-address.ts';
import { assessEncryption, readEncryption } from './connection.ts';
import { CheckAborted, type Finding, findingsFor, type Found, found } from './finding.ts';
import { formatBytes, pluralize, withoutPeriod } from './format.ts';

const { ok, warning, failure } = findingsFor('redis');

const encryptionRemedies = {
  encrypt:
    'Start REDIS_URL with rediss instead of redis, and set REDIS_CA_FILE for a private certificate authority. The server needs a tls-port.',
  verify: 'Set REDIS_CA_FILE to a PEM file with the certificate of the authority that signed it.',
};
/** BullMQ does not work below the minimum. */
const minimumVersion = [5, 0];
const recommendedVersion = [6, 2];
const usedToWarn = 0.8;
const usedToFail = 0.95;

type Place = QueuePlace & RedisPlace;
type Info = Map<string, string>;

/** Checks one server, a primary with its sentinels, or every node of a cluster. */
export async function checkRedis(place: Place): Promise<Finding[]> {
  const connection = openRedisOnce(place);
  let reason: Error | undefined;
  connection.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await connection.connect();
    if (connection instanceof Cluster) return found(await checkCluster(connection, place));
    const { responds, info } = await readServer(connection, redisServerName(place.redisUrl));
    const { kind } = redisAddress(place.redisUrl);
    return found(responds, assessRedis(info), kind === 'sentinel' && (await checkSentinels(place, info)));
  } catch (error) {
    throw new CheckAborted(await explain(place, reason ?? (error as Error)));
  } finally {
    closeRedis(connection);
  }
}

async function readServer(connection: Redis, name: string): Promise<{ responds: Found; info: Info }> {
  const sentAt = performance.now();
  const info = parseInfo(await connection.info());
  const tookMs = Math.max(1, Math.round(performance.now() - sentAt));
  const link = readEncryption(connection.stream);
  const responds = [
    ok(`${name} responds in ${tookMs} ms.`),
    assessEncryption('redis', name, link, encryptionRemedies, Date.now()),
  ];
  return { responds, info };
}

async function explain(place: Place, error: Error, name = redisServerName(place.redisUrl)): Promise<Finding> {
  const { kind, tls: usesTls } = redisAddress(place.redisUrl);
  const cause = await findCause(place, error);
  const tls = tlsFailure(cause);
  if (tls) return failure(`${name} cannot be used, because ${tls.reason} (${cause.message}).`, tls.remedy);
  if (/WRONGPASS|NOAUTH|NOPERM|password/.test(cause.message))
    return failure(
      `${name} rejects the login: ${withoutPeriod(cause.message)}.`,
      `Correct the user and password in REDIS_URL. The user must be allowed to run every command.${kind === 'sentinel' ? ' Sentinels with a password of their own need sentinel_password.' : ''}`,
    );
  if (/cluster support disabled/.test(cause.message))
    return failure(
      `${name} is not a Redis Cluster.`,
      'Start REDIS_URL with redis:// instead of redis+cluster://.',
    );
  const message = cause.message.toLowerCase();
  if (message.includes('unknown command') && message.includes('sentinel'))
    return failure(
      `${name}: a server does not know the commands of a sentinel.`,
      'Name sentinels in REDIS_URL, whose port is usually 26379, or start it with redis://.',
    );
  if (/No such master|invalid reply: null/.test(cause.message))
    return failure(
      `${name}: the sentinels respond, but know no primary of this name.`,
      'Correct the name after the hosts in REDIS_URL: it is the one in `sentinel monitor`.',
    );
  return failure(
    `${name} cannot be reached (${withoutPeriod(cause.message)}): scans go to the spool and are not recorded.`,
    `Start Redis, or set REDIS_URL to a running server.${usesTls ? ' Its port must be the one for TLS.' : ''}`,
  );
}

/** Parses INFO. Managed servers often forbid CONFIG, which would be more direct. */
export function parseInfo(text: string): Info {
  const pairs = text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon > 0 && !line.startsWith('#') ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
  });
  return new Map(pairs);
}

/** `isCluster`: whether REDIS_URL is for a Redis Cluster. */
export function assessRedis(info: Info, isCluster = false): Finding[] {
  if (info.get('redis_mode') === 'sentinel') {
    // What a sentinel reports is not about the server that jobs would go to.
    const name = /name=([^,]+)/.exec(info.get('master0') ?? '')?.[1] ?? 'mymaster';
    return [
      failure(
        'REDIS_URL names a sentinel, which accepts no jobs: scans go to the spool and are not recorded.',
        `Name all sentinels and the primary: redis+sentinel://host1:26379,host2:26379/${name}.`,
      ),
    ];
  }
  return found(
    assessVersion(info),
    assessPolicy(info),
    assessAppendOnly(info),
    assessMemory(info),
    info.get('redis_mode') === 'cluster' &&
      !isCluster &&
      failure(
        'The server is part of a Redis Cluster, which rejects jobs (CROSSSLOT): scans stay in the spool.',
        'Start REDIS_URL with redis+cluster:// instead of redis://.',
      ),
    info.get('rdb_last_bgsave_status') === 'err' &&
      failure(
        'The last snapshot failed: Redis rejects jobs (MISCONF) unless stop-writes-on-bgsave-error is off.',
        "Check Redis's log and free disk space.",
      ),
    info.get('role') === 'slave' &&
      failure('The server is a replica and accepts no writes.', 'Set REDIS_URL to its primary.'),
  );
}

function assessVersion(info: Info): Finding {
  const version = info.get('redis_version') ?? 'unknown';
  const remedy = `Upgrade the server to Redis ${recommendedVersion.join('.')} or newer, or to Valkey.`;
  if (isOlder(version, minimumVersion)) return failure(`Redis ${version} is too old for BullMQ.`, remedy);
  if (isOlder(version, recommendedVersion))
    return warning(`Redis ${version} is older than BullMQ recommends.`, remedy);
  const valkey = info.get('valkey_version');
  return ok(valkey ? `Valkey ${valkey}.` : `Redis ${version}.`);
}

function isOlder(version: string, [otherMajor = 0, otherMinor = 0]: number[]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

function assessPolicy(info: Info): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok('maxmemory-policy is noeviction.');
  return failure(
    `maxmemory-policy is ${policy}: when memory runs out, Redis evicts jobs, and their scans are lost.`,
    'Run `redis-cli CONFIG SET maxmemory-policy noeviction` and add `maxmemory-policy noeviction` to redis.conf, or set it in the console of your provider.',
  );
}

function assessAppendOnly(info: Info): Finding {
  if (info.get('aof_last_write_status') === 'err')
    return failure(
      'The append-only file could not be written: Redis rejects jobs, or loses them when it stops.',
      "Check Redis's log and free disk space.",
    );
  if (info.get('aof_enabled') === '1') return ok('The append-only file is on: jobs survive a restart.');
  return warning(
    'The append-only file is off: a restart of Redis loses the scans in the queue.',
    'Run `redis-cli CONFIG SET appendonly yes` and add `appendonly yes` to redis.conf. With SCAN_JOURNAL=on, lost scans are sent again.',
  );
}

function assessMemory(info: Info): Finding {
  const used = Number(info.get('used_memory') ?? 0);
  const limit = Number(info.get('maxmemory') ?? 0);
  if (limit === 0) return ok(`${formatBytes(used)} of memory used, no limit.`);
  const message = `${formatBytes(used)} of ${formatBytes(limit)} of memory used`;
  if (used < usedToWarn * limit) return ok(`${message}.`);
  const remedy = 'Raise maxmemory, or start more workers to shorten the queue.';
  return used < usedToFail * limit
    ? warning(`${message}: when the limit is reached, scans go to the spool.`, remedy)
    : failure(`${message}: Redis is about to reject jobs, and scans go to the spool.`, remedy);
}

/** Whether the sentinels can replace a primary that fails, and have something to replace it with. */
async function checkSentinels(place: RedisPlace, info: Info): Promise<Found> {
  const servers = await probeServers(place);
  const sentinels = pluralize(servers.length, 'sentinel');
  const down = servers.filter(({ error }) => error);
  const reasons = down.map(({ server, error }) => `${server} (${withoutPeriod(error?.message ?? '')})`);
  const responding = servers.findIndex(({ error }) => !error);
  return [
    down.length === 0
      ? ok(`${sentinels} of REDIS_URL ${servers.length === 1 ? 'responds' : 'respond'}.`)
      : warning(
          `${down.length} of ${sentinels} of REDIS_URL cannot be reached: ${reasons.join(', ')}.`,
          'Start them, or correct REDIS_URL. Most of the sentinels must run, or nothing takes over from a primary that fails.',
        ),
    await checkQuorum(place, responding),
    assessReplicas(info),
  ];
}

/** Asks a sentinel that responds what it knows about the others. */
async function checkQuorum(place: RedisPlace, responding: number): Promise<Finding | undefined> {
  const { hosts, primary } = redisAddress(place.redisUrl);
  const host = hosts[responding];
  if (!host) return undefined;
  const sentinel = openRedisServer(place, host);
  sentinel.on('error', () => undefined); // the command is rejected as well
  try {
    await sentinel.connect();
    const others = (await sentinel.call('SENTINEL', 'SENTINELS', primary.name ?? '')) as unknown[];
    const verdict = await sentinel
      .call('SENTINEL', 'CKQUORUM', primary.name ?? '')
      .then(String, (error: unknown) => (error as Error).message);
    return assessQuorum(others.length + 1, hosts.length, verdict);
  } catch {
    // Managed servers may forbid these commands.
    return undefined;
  } finally {
    closeRedis(sentinel);
  }
}

export function assessQuorum(known: number, named: number, verdict: string): Finding {
  if (!verdict.startsWith('OK'))
    return failure(
      `The sentinels cannot agree on a failover (${withoutPeriod(verdict)}): if the primary fails, scans stay in the spool.`,
      'Start the sentinels that are down. A majority of all that know the primary must run; those that are gone for good are forgotten after `SENTINEL RESET`.',
    );
  if (known < 3)
    return warning(
      `${pluralize(known, 'sentinel')} ${known === 1 ? 'watches' : 'watch'} the primary: when one of them is lost, nothing takes over.`,
      'Run three or more sentinels on different machines.',
    );
  if (named < 2)
    return warning(
      `REDIS_URL names one of ${known} sentinels: while that one is down, processes that start find no primary.`,
      'Name all sentinels in REDIS_URL.',
    );
  return ok(`${known} sentinels watch the primary and can agree on a failover.`);
}

function assessReplicas(info: Info): Finding {
  const replicas = Number(info.get('connected_slaves') ?? 0);
  if (replicas > 0) return ok(`${pluralize(replicas, 'replica')} connected to the primary.`);
  return warning(
    'No replica is connected to the primary: nothing can take over from it.',
    'Start a replica, or check its log and its connection to the primary.',
  );
}

async function checkCluster(cluster: Cluster, place: Place): Promise<Found> {
  const perNode = await Promise.all(
    cluster.nodes('master').map(async (node) => {
      const name = `${node.options.host}:${node.options.port}`;
      const named = (finding: Finding) => ({ ...finding, finding: `${name}: ${finding.finding}` });
      try {
        const { responds, info } = await readServer(node, name);
        return [responds, found(assessRedis(info, true), assessReplicas(info)).map(named)];
      } catch (error) {
        return explain(place, error as Error, name);
      }
    }),
  );
  return [perNode, await checkClusterState(cluster), await checkSpread(cluster, place)];
}

/** What the first node that responds says about the cluster as a whole. */
async function checkClusterState(cluster: Cluster): Promise<Found> {
  for (const node of cluster.nodes('all')) {
    try {
      const info = parseInfo(String(await node.call('CLUSTER', 'INFO')));
      return assessCluster(info, String(await node.call('CLUSTER', 'NODES')));
    } catch {
      // Asks the next one.
    }
  }
  return undefined;
}

/** `nodes`: a line for each node: id, address, flags, …. */
function assessCluster(info: Info, nodes: string): Finding[] {
  const number = (name: string) => Number(info.get(name) ?? 0);
  const lines = nodes.split('\n').filter(Boolean);
  const failed = lines.flatMap((line) => {
    const [, address = '', flags = ''] = line.split(' ');
    return flags.split(',').includes('fail') ? [address.split(/[@,]/, 1)[0] ?? ''] : [];
  });
  const missing = hashSlots - number('cluster_slots_ok');
  const findings = found(
    missing > 0 &&
      failure(
        `${pluralize(missing, 'slot')} of the cluster ${missing === 1 ? 'has' : 'have'} no primary that responds: queues there reject jobs, and their scans wait.`,
        'Start the primaries that are down or their replicas, or run `redis-cli --cluster fix` with the address of a node.',
      ),
    failed.length > 0 &&
      warning(
        `${pluralize(failed.length, 'node')} of the cluster ${failed.length === 1 ? 'has' : 'have'} failed: ${failed.join(', ')}.`,
        'Start them again. Remove nodes that are gone for good with `CLUSTER FORGET` on every other node.',
      ),
  );
  if (findings.length > 0) return findings;
  const size = `${number('cluster_size')} primaries among ${pluralize(lines.length, 'node')}`;
  return [ok(`The cluster has ${size}, and every slot has one.`)];
}

/** How the queues for scans are spread over the nodes of a cluster, and what happens when a node is down. */
async function checkSpread(cluster: Cluster, place: QueuePlace): Promise<Found> {
  const queues = queuesFor(scanQueue, place);
  const used = new Set(queues.map(({ name, hashTag = name }) => cluster.slots[hashSlot(hashTag)]?.[0]));
  const primaries = cluster.nodes('master');
  // Undefined where CONFIG is forbidden, as managed servers often do.
  const setting = await primaries[0]?.config('GET', 'cluster-require-full-coverage').catch(() => undefined);
  const requiresAll = Array.isArray(setting) && setting[1] === 'yes';
  return [
    ok(
      `SCAN_QUEUES=${queues.length}: scans are on ${used.size} of ${primaries.length} ${primaries.length === 1 ? 'primary' : 'primaries'}.`,
    ),
    queues.length > 1 &&
      requiresAll &&
      warning(
        'cluster-require-full-coverage is on: while one primary is down and not replaced, all of them reject jobs.',
        'Run `redis-cli CONFIG SET cluster-require-full-coverage no` on every node and add it to redis.conf: the other primaries then take the scans.',
      ),
  ];
}
