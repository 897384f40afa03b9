import { formatBytes, formatDuration, pluralize } from '../../../doctor/format.ts';
import type { QueueDepth } from '../../../queue/queue-depth.ts';
import { hourMs } from '../../../runtime/units.ts';
import type { ReportedProcess } from '../../../store/process-reports.ts';

/** A queue whose oldest job has waited for this long is behind. */
const lateMs = 60_000;

export interface Finding {
  text: string;
  link?: { path: string; name: string };
}

interface Observed {
  processes: ReportedProcess[];
  /** Undefined: the queues do not respond. */
  queues: QueueDepth[] | undefined;
  droppedPerSecond: number;
  now: Date;
}

/** Everything that needs an operator's attention, worst first. Each says what is wrong and the consequence. */
export function listFindings({ processes, queues, droppedPerSecond, now }: Observed): Finding[] {
  const running = processes.filter(({ status }) => status === 'running');
  const findings: Finding[] = [];
  const toQueues = { path: '/admin/queues', name: 'See the jobs' };
  if (droppedPerSecond > 0)
    findings.push({ text: 'Scans are being lost: neither the queue nor the spool accepts them.' });
  if (!queues) findings.push({ text: 'The queue does not respond: scans go to the spool until it is back.' });
  if (!running.some(({ kind }) => kind === 'worker'))
    findings.push({ text: 'No worker is running: scans wait in the queue, and analytics are late.' });
  for (const { kind, host, pid } of processes.filter((each) => isMissing(each, processes, now)))
    findings.push({
      text: `The ${kind} process ${pid} on ${host} has stopped reporting: it was killed, hangs, or cannot reach PostgreSQL.`,
    });
  for (const { state, pid, host } of running)
    findings.push(...spoolFindings(state, `process ${pid} on ${host}`));
  for (const { queue, jobs, oldestWaitingMs } of queues ?? []) {
    if (jobs.failed > 0)
      findings.push({
        text: `${pluralize(jobs.failed, 'job')} of ${queue} failed and ${jobs.failed === 1 ? 'is' : 'are'} kept until you retry.`,
        link: toQueues,
      });
    if (oldestWaitingMs > lateMs)
      findings.push({
        text: `The oldest job of ${queue} has waited for ${formatDuration(oldestWaitingMs)}.`,
        link: toQueues,
      });
  }
  findings.push(...replicaFindings(running));
  return findings;
}

function spoolFindings({ spool }: ReportedProcess['state'], name: string): Finding[] {
  if (!spool) return [];
  const findings: Finding[] = [];
  if (!spool.isWritable) findings.push({ text: `The ${name} cannot write to its spool (DATA_DIR).` });
  if (spool.scansInMemory > 0)
    findings.push({
      text: `The ${name} holds ${pluralize(spool.scansInMemory, 'scan')} only in memory: do not restart it.`,
    });
  if (spool.bytes > 0)
    findings.push({
      text: `The ${name} has ${formatBytes(spool.bytes)} of ${formatBytes(spool.maxBytes)} in its spool: the queue was slow or down.`,
    });
  return findings;
}

function replicaFindings(running: ReportedProcess[]): Finding[] {
  const bad = new Map<string, string>();
  for (const { state } of running)
    for (const replica of state.replicas ?? [])
      if (replica.state !== 'usable') bad.set(replica.name, replica.state);
  return [...bad].map(([name, state]) => ({
    text: `The replica ${name} is ${state === 'primary' ? 'not a replica' : state}: the primary serves its reads.`,
  }));
}

/**
 * Whether a process that stopped reporting needs attention: for an hour, unless another one was started since on the same
 * machine.
 */
export function isMissing(process: ReportedProcess, all: ReportedProcess[], now: Date): boolean {
  const { kind, host, status, reportedAt } = process;
  if (status !== 'silent' || now.getTime() - reportedAt.getTime() > hourMs) return false;
  return !all.some(
    (other) =>
      other.kind === kind &&
      other.host === host &&
      other.status === 'running' &&
      other.startedAt > reportedAt,
  );
}
