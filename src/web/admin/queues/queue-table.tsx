import { formatDuration } from '../../../doctor/format.ts';
import type { QueueDepth } from '../../../queue/queue-depth.ts';
import { figure } from '../../ui/figure.ts';

const columns = [
  ['waiting', 'Waiting'],
  ['active', 'Active'],
  ['delayed', 'Delayed'],
  ['failed', 'Failed'],
] as const;

/** How full each queue is, and how long its oldest job has waited. */
export function QueueTable({ queues }: { queues: QueueDepth[] }) {
  return (
    <table class="stacked inline">
      <caption class="unseen">Jobs by queue and state</caption>
      <thead>
        <tr>
          <th scope="col">Queue</th>
          {columns.map(([state, name]) => (
            <th key={state} scope="col" class="number">
              {name}
            </th>
          ))}
          <th scope="col" class="number">
            Oldest job
          </th>
        </tr>
      </thead>
      <tbody>
        {queues.map(({ queue, jobs, oldestWaitingMs }) => (
          <tr key={queue}>
            <th scope="row">{queue}</th>
            {columns.map(([state, name]) => (
              <td key={state} data-label={name} class="number">
                {state === 'failed' && jobs.failed > 0 ? (
                  <span class="badge bad">{figure(jobs.failed)}</span>
                ) : (
                  figure(jobs[state])
                )}
              </td>
            ))}
            <td data-label="Oldest job" class="number">
              {ageInWords(oldestWaitingMs)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ageInWords(ms: number): string {
  if (ms === 0) return '–';
  return ms < 1_000 ? 'under 1 second' : formatDuration(ms);
}
