import type { Config } from '../config.ts';
import { connectionCounts } from '../queue/connection-counts.ts';
import { type Finding, findingsFor } from './finding.ts';
import { pluralize } from './format.ts';

const { ok, warning } = findingsFor('postgres');

/** For the command line, migrations and a person with psql. */
const spareConnections = 5;

export interface ConnectionFacts {
  usableConnections: number;
  usedConnections: number;
  /** Processes, on any machine, that have a connection at the moment. */
  webProcesses: number;
  workerProcesses: number;
}

/** All processes are taken to have the pool sizes that are set here. A pooler opens as many connections as it is told to. */
export function assessConnections(facts: ConnectionFacts, config: Config, isShared: boolean): Finding {
  const { usableConnections: usable, usedConnections: used } = facts;
  if (isShared) return ok(`${usable} connections allowed, ${used} open; the pooler shares them.`);
  const { web, worker, replica } = connectionCounts(config);
  const webs = Math.max(facts.webProcesses, config.webConcurrency);
  const workers = Math.max(facts.workerProcesses, 1);
  const wanted = webs * web + workers * worker;
  const toReplicas = replica > 0 ? ` (and ${replica} to each replica)` : '';
  const processes = `${webs} web ${webs === 1 ? 'process' : 'processes'} and ${pluralize(workers, 'worker')}`;
  const message = `${usable} connections allowed, ${used} open; a web process opens up to ${web}${toReplicas}, a worker up to ${worker}, together ${wanted} for ${processes}`;
  if (usable >= wanted + spareConnections) return ok(`${message}.`);
  return warning(
    `${message}: too few, with ${spareConnections} to spare for the command line and migrations.`,
    `Set max_connections to ${wanted + spareConnections + 10} or more and restart PostgreSQL, put PgBouncer in front, or lower WEB_CONCURRENCY, WEB_POOL_SIZE or WORKER_POOL_SIZE.`,
  );
}
