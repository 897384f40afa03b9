import { formatBytes } from '../../../doctor/format.ts';
import type { ReportedProcess } from '../../../store/process-reports.ts';
import { isMissing } from './missing-processes.ts';
import { Moment } from '../../ui/moment.tsx';

const badges = { running: 'badge good', silent: 'badge bad', stopped: 'badge' } as const;

/** Those that have ended stay for a day, because their last errors may say why. */
export function ProcessTable({ processes, now }: { processes: ReportedProcess[]; now: Date }) {
  if (processes.length === 0) return <p>No process has reported yet.</p>;
  const isCurrent = (process: ReportedProcess) =>
    process.status === 'running' || isMissing(process, processes, now);
  const current = processes.filter(isCurrent);
  const ended = processes.filter((process) => !isCurrent(process));
  return (
    <>
      <Table caption="Web and worker processes" processes={current} />
      {ended.length > 0 && (
        <details>
          <summary>{ended.length} ended in the last day</summary>
          <Table caption="Processes that ended in the last day" processes={ended} />
        </details>
      )}
    </>
  );
}

function Table({ caption, processes }: { caption: string; processes: ReportedProcess[] }) {
  return (
    <table class="stacked">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Process</th>
          <th scope="col">State</th>
          <th scope="col">Version</th>
          <th scope="col">Started</th>
          <th scope="col">Last report</th>
          <th scope="col" class="number">
            Memory
          </th>
          <th scope="col" class="number">
            Spool
          </th>
        </tr>
      </thead>
      <tbody>
        {processes.map(({ id, kind, host, pid, status, version, startedAt, reportedAt, state }) => (
          <tr key={id}>
            <th scope="row">
              {kind} <bdi>{host}</bdi> {pid}
            </th>
            <td data-label="State">
              <span class={badges[status]}>{status === 'silent' ? 'not reporting' : status}</span>
            </td>
            <td data-label="Version">{version}</td>
            <td data-label="Started">
              <Moment at={startedAt} />
            </td>
            <td data-label="Last report">
              <Moment at={reportedAt} />
            </td>
            <td data-label="Memory" class="number">
              {formatBytes(state.memoryBytes)}
            </td>
            <td data-label="Spool" class="number">
              {state.spool ? formatBytes(state.spool.bytes) : '–'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
