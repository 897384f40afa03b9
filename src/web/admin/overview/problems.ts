import { formatBytes, formatDuration, pluralize } from '../../../doctor/format.ts';
import type { QueueDepth } from '../../../queue/queue-depth.ts';
import type { ReportedProcess } from '../../../store/process-reports.ts';
import { isMissing } from './missing-processes.ts';

/** A queue whose oldest job has waited for this long is behind. */
const lateMs = 60_000;

export interface Problem {
  text: string;
  link?: { path: string; name: string };
}

interface Findings {
  processes: ReportedProcess[];
  /** Undefined: the queues do not respond. */
  queues: QueueDepth[] | undefined;
  droppedPerSecond: number;
  now: Date;
}

/** What an operator should look at, worst first: what is wrong, and the consequence. */
export function findProblems({ processes, queues, droppedPerSecond, now }: Findings): Problem[] {
  const running = processes.filter(({ status }) => status === 'running');
  const problems: Problem[] = [];
  const toQueues = { path: '/admin/queues', name: 'See the jobs' };
  if (droppedPerSecond > 0)
    problems.push({ text: 'Scans are being lost: neither the queue nor the spool accepts them.' });
  if (!queues) problems.push({ text: 'The queue does not respond: scans go to the spool until it is back.' });
  if (!running.some(({ kind }) => kind === 'worker'))
    problems.push({ text: 'No worker is running: scans wait in the queue, and analytics are late.' });
  for (const { kind, host, pid } of processes.filter((each) => isMissing(each, processes, now)))
    problems.push({
      text: `The ${kind} process ${pid} on ${host} has stopped reporting: it was killed, hangs, or cannot reach PostgreSQL.`,
    });
  for (const { state, pid, host } of running)
    problems.push(...spoolProblems(state, `process ${pid} on ${host}`));
  for (const { queue, jobs, oldestWaitingMs } of queues ?? []) {
    if (jobs.failed > 0)
      problems.push({
        text: `${pluralize(jobs.failed, 'job')} of ${queue} failed and ${jobs.failed === 1 ? 'is' : 'are'} kept until you retry.`,
        link: toQueues,
      });
    if (oldestWaitingMs > lateMs)
      problems.push({
        text: `The oldest job of ${queue} has waited for ${formatDuration(oldestWaitingMs)}.`,
        link: toQueues,
      });
  }
  problems.push(...replicaProblems(running));
  return problems;
}

function spoolProblems({ spool }: ReportedProcess['state'], name: string): Problem[] {
  if (!spool) return [];
  const problems: Problem[] = [];
  if (!spool.isWritable) problems.push({ text: `The ${name} cannot write to its spool (DATA_DIR).` });
  if (spool.scansInMemory > 0)
    problems.push({
      text: `The ${name} holds ${pluralize(spool.scansInMemory, 'scan')} only in memory: do not restart it.`,
    });
  if (spool.bytes > 0)
    problems.push({
      text: `The ${name} has ${formatBytes(spool.bytes)} of ${formatBytes(spool.maxBytes)} in its spool: the queue was slow or down.`,
    });
  return problems;
}

function replicaProblems(running: ReportedProcess[]): Problem[] {
  const bad = new Map<string, string>();
  for (const { state } of running)
    for (const replica of state.replicas ?? [])
      if (replica.state !== 'usable') bad.set(replica.name, replica.state);
  return [...bad].map(([name, state]) => ({
    text: `The replica ${name} is ${state === 'primary' ? 'not a replica' : state}: the primary serves its reads.`,
  }));
}
