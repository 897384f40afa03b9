import type { Cluster } from 'ioredis';
import { hashSlots } from '../queue/scan-queue.ts';
import { type Finding, findingsFor } from './finding.ts';
import { pluralize } from './format.ts';
import { parseInfo } from './redis.ts';

const { ok, warning, failure } = findingsFor('redis');

/** What the nodes say about the cluster as a whole. */
export async function checkClusterState(cluster: Cluster): Promise<Finding[]> {
  for (const node of cluster.nodes('all')) {
    try {
      const info = parseInfo(String(await node.call('CLUSTER', 'INFO')));
      const nodes = String(await node.call('CLUSTER', 'NODES'));
      return assessCluster(info, nodes);
    } catch {
      // Asks the next one.
    }
  }
  return [];
}

/** `nodes`: a line for each node: id, address, flags, …. */
export function assessCluster(info: Map<string, string>, nodes: string): Finding[] {
  const number = (name: string) => Number(info.get(name) ?? 0);
  const lines = nodes.split('\n').filter(Boolean);
  const failed = lines.flatMap((line) => {
    const [, address = '', flags = ''] = line.split(' ');
    return flags.split(',').includes('fail') ? [address.split(/[@,]/, 1)[0] ?? ''] : [];
  });
  const missing = hashSlots - number('cluster_slots_ok');
  const findings: Finding[] = [];
  if (missing > 0) {
    findings.push(
      failure(
        `${pluralize(missing, 'slot')} of the cluster ${missing === 1 ? 'has' : 'have'} no primary that responds: queues there reject jobs, and their scans wait.`,
        'Start the primaries that are down or their replicas, or run `redis-cli --cluster fix` with the address of a node.',
      ),
    );
  }
  if (failed.length > 0) {
    findings.push(
      warning(
        `${pluralize(failed.length, 'node')} of the cluster ${failed.length === 1 ? 'has' : 'have'} failed: ${failed.join(', ')}.`,
        'Start them again. Remove nodes that are gone for good with `CLUSTER FORGET` on every other node.',
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [
    ok(
      `The cluster has ${number('cluster_size')} primaries among ${pluralize(lines.length, 'node')}, and every slot has one.`,
    ),
  ];
}
