import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, isDatabaseUnavailable, plainMessage, sqlState } from '../store/database.ts';
import { serverNames, splitHosts } from '../store/database-url.ts';
import { maxLagMs } from '../store/replica.ts';
import { readServerPosition, type ServerPosition } from '../store/server-position.ts';
import { type Finding, findingsFor } from './finding.ts';
import { withoutPeriod } from './format.ts';
import { withConnection } from './with-connection.ts';

const { ok, warning, failure } = findingsFor('postgres');

const askAgainMs = 50;

/** Checks that each host of DATABASE_REPLICA_URL follows this primary, and how closely. */
export async function checkReplicas(databaseUrl: string, replicaUrl: string): Promise<Finding[]> {
  return withConnection(databaseUrl, async (primary) => {
    const findings: Finding[] = [];
    for (const url of splitHosts(replicaUrl)) findings.push(await checkReplica(primary, url));
    return findings;
  });
}

async function checkReplica(primary: Database, url: string): Promise<Finding> {
  const name = `Replica ${serverNames(url)}`;
  try {
    return await withConnection(url, async (replica) => {
      const found = await readServerPosition(replica);
      const wanted = await readServerPosition(primary);
      const askedAt = performance.now();
      const problem = assessReplica(name, found, wanted);
      if (problem) return problem;
      if (!(await reaches(replica, wanted.position ?? 0, askedAt + maxLagMs))) return lagging(name);
      const behindMs = Math.round(performance.now() - askedAt);
      return ok(`${name} follows the primary and is at most ${behindMs} ms behind.`);
    });
  } catch (error) {
    return explain(name, error as Error);
  }
}

/** Undefined for a replica of this primary. */
export function assessReplica(
  name: string,
  { isStandby, systemId }: ServerPosition,
  primary: Pick<ServerPosition, 'systemId'>,
): Finding | undefined {
  if (systemId !== primary.systemId) {
    return failure(
      `${name} is not a replica of this primary (another system identifier): it is never read.`,
      'Set DATABASE_REPLICA_URL to a streaming replica of the server in DATABASE_URL.',
    );
  }
  if (isStandby) return undefined;
  return warning(
    `${name} is the primary itself: it is not used as a replica.`,
    'Leave it as it is if the servers change roles. Otherwise set DATABASE_REPLICA_URL to a streaming replica.',
  );
}

async function reaches(replica: Database, position: number, deadline: number): Promise<boolean> {
  while (performance.now() < deadline) {
    const { position: replayed } = await readServerPosition(replica);
    if (replayed !== null && replayed >= position) return true;
    await sleep(askAgainMs);
  }
  return false;
}

function lagging(name: string): Finding {
  return warning(
    `${name} is more than ${maxLagMs / 1_000} s behind the primary: it is not read until it has caught up.`,
    'Compare pg_stat_replication on the primary with pg_stat_wal_receiver on the replica. It may be down for maintenance, too slow, or held up by long queries (max_standby_streaming_delay).',
  );
}

function explain(name: string, error: Error): Finding {
  const code = sqlState(error) ?? '';
  const reason = withoutPeriod(plainMessage(error)) || code;
  return isDatabaseUnavailable(error)
    ? warning(
        `${name} cannot be reached (${code || reason}): reads go to the primary.`,
        'Start it, or correct DATABASE_REPLICA_URL.',
      )
    : failure(
        `${name} cannot be read: ${reason}.`,
        'Correct the user, password and database in DATABASE_REPLICA_URL. The role must be allowed to execute pg_control_system().',
      );
}
