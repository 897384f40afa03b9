import type { Cluster } from 'ioredis';
import type { QueuePlace } from '../queue/queue-connection.ts';
import { hashSlot, scanQueue } from '../queue/scan-queue.ts';
import { queuesFor } from '../queue/queues.ts';
import { type Finding, findingsFor } from './finding.ts';

const { ok, warning } = findingsFor('redis');

/** How the queues for scans lie on the nodes of a cluster, and what happens when a node is down. */
export async function assessSpread(cluster: Cluster, place: QueuePlace): Promise<Finding[]> {
  const queues = queuesFor(scanQueue, place);
  const used = new Set(queues.map(({ name, hashTag = name }) => cluster.slots[hashSlot(hashTag)]?.[0]));
  const primaries = cluster.nodes('master').length;
  const spread = ok(
    `SCAN_QUEUES=${queues.length}: scans are on ${used.size} of ${primaries} ${primaries === 1 ? 'primary' : 'primaries'}.`,
  );
  if (queues.length === 1 || (await requiresFullCoverage(cluster)) !== true) return [spread];
  return [
    spread,
    warning(
      'cluster-require-full-coverage is on: while one primary is down and not replaced, all of them reject jobs.',
      'Run `redis-cli CONFIG SET cluster-require-full-coverage no` on every node and add it to redis.conf: the other primaries then take the scans.',
    ),
  ];
}

/** Undefined where CONFIG is forbidden, as managed servers often do. */
async function requiresFullCoverage(cluster: Cluster): Promise<boolean | undefined> {
  const [node] = cluster.nodes('master');
  if (!node) return undefined;
  const setting = await node.config('GET', 'cluster-require-full-coverage').catch(() => undefined);
  return Array.isArray(setting) ? setting[1] === 'yes' : undefined;
}
