import { Cluster, type Redis } from 'ioredis';
import type { QueuePlace } from '../queue/queue-connection.ts';
import { closeRedis, openRedisOnce, type RedisPlace } from '../queue/redis-client.ts';
import { findCause, tlsProblem } from '../queue/redis-errors.ts';
import { redisAddress, redisServerName } from '../store/redis-address.ts';
import { assessEncryption, readEncryption } from './encryption.ts';
import { CheckAborted, type Finding, findingsFor } from './finding.ts';
import { withoutPeriod } from './format.ts';
import { assessRedis, parseInfo } from './redis.ts';
import { assessReplicas, checkSentinels } from './redis-sentinels.ts';
import { checkClusterState } from './redis-cluster.ts';
import { assessSpread } from './redis-spread.ts';

const { ok, failure } = findingsFor('redis');

const encryptionRemedies = {
  encrypt:
    'Start REDIS_URL with rediss instead of redis, and set REDIS_CA_FILE for a private certificate authority. The server needs a tls-port.',
  verify: 'Set REDIS_CA_FILE to a PEM file with the certificate of the authority that signed it.',
};

type Place = QueuePlace & RedisPlace;

export async function checkRedis(place: Place): Promise<Finding[]> {
  const connection = openRedisOnce(place);
  let reason: Error | undefined;
  connection.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await connection.connect();
    if (connection instanceof Cluster) return await checkCluster(connection, place);
    const [responds, info] = await readServer(connection, redisServerName(place.redisUrl));
    const { kind } = redisAddress(place.redisUrl);
    const sentinels = kind === 'sentinel' ? await checkSentinels(place, info) : [];
    return [...responds, ...assessRedis(info), ...sentinels];
  } catch (error) {
    throw new CheckAborted(await explain(place, reason ?? (error as Error)));
  } finally {
    closeRedis(connection);
  }
}

async function readServer(connection: Redis, name: string): Promise<[Finding[], Map<string, string>]> {
  const sentAt = performance.now();
  const info = parseInfo(await connection.info());
  const tookMs = Math.max(1, Math.round(performance.now() - sentAt));
  const link = readEncryption(connection.stream);
  return [
    [
      ok(`${name} responds in ${tookMs} ms.`),
      ...assessEncryption('redis', name, link, encryptionRemedies, Date.now()),
    ],
    info,
  ];
}

async function checkCluster(cluster: Cluster, place: Place): Promise<Finding[]> {
  const primaries = cluster.nodes('master');
  const perNode = await Promise.all(
    primaries.map(async (node) => {
      const name = `${node.options.host}:${node.options.port}`;
      const named = (finding: Finding) => ({ ...finding, finding: `${name}: ${finding.finding}` });
      try {
        const [responds, info] = await readServer(node, name);
        const replicas = assessReplicas(Number(info.get('connected_slaves') ?? 0));
        return [...responds, ...[...assessRedis(info, true), replicas].map(named)];
      } catch (error) {
        return [await explain(place, error as Error, name)];
      }
    }),
  );
  return [...perNode.flat(), ...(await checkClusterState(cluster)), ...(await assessSpread(cluster, place))];
}

async function explain(place: Place, error: Error, name = redisServerName(place.redisUrl)): Promise<Finding> {
  const { kind, tls: usesTls } = redisAddress(place.redisUrl);
  const cause = await findCause(place, error);
  const tls = tlsProblem(cause);
  if (tls) return failure(`${name} cannot be used, because ${tls.problem} (${cause.message}).`, tls.remedy);
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
