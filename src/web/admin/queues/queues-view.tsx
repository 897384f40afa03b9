import { pluralize } from '../../../doctor/format.ts';
import type { QueueDepth } from '../../../queue/queue-depth.ts';
import { figure } from '../../ui/figure.ts';
import { Form, type Visitor } from '../../ui/layout.tsx';
import { Moment } from '../../ui/moment.tsx';
import { AdminLayout } from '../admin-layout.tsx';
import { QueueTable } from './queue-table.tsx';

export interface FailedJob {
  id: string;
  failedAt: Date | undefined;
  /** Undefined: the data is not what the queue expects. */
  items: number | undefined;
  attempts: number;
  reason: string;
}

interface ShownQueue {
  depth: QueueDepth;
  description: string;
  /** What a job holds, in the singular. */
  noun: string;
  /** The latest. */
  failed: FailedJob[];
}

interface QueuesProps {
  visitor: Visitor;
  queues: ShownQueue[];
  flash: string | undefined;
}

export function QueuesView({ visitor, queues, flash }: QueuesProps) {
  const withFailed = queues.filter(({ failed }) => failed.length > 0);
  return (
    <AdminLayout
      visitor={visitor}
      title="Queues"
      at="/admin/queues"
      flash={flash}
      heading={
        <div class="heading">
          <h1>Queues</h1>
          <a class="button quiet" href="/admin/board">
            Queue board
          </a>
        </div>
      }
    >
      <section class="card">
        <QueueTable queues={queues.map(({ depth }) => depth)} />
      </section>
      {withFailed.map((queue) => (
        <FailedJobs key={queue.depth.queue} {...queue} />
      ))}
      {withFailed.length === 0 && (
        <section class="card">
          <h2>Failed jobs</h2>
          <p>There are no failed jobs.</p>
        </section>
      )}
    </AdminLayout>
  );
}

function FailedJobs({ depth: { queue, jobs }, description, noun, failed }: ShownQueue) {
  return (
    <section class="card">
      <div class="heading">
        <h2>Failed jobs of {queue}</h2>
        <Form action="/admin/queues/retry">
          <input type="hidden" name="queue" value={queue} />
          <button type="submit">Retry all of {queue}</button>
        </Form>
      </div>
      <p class="quiet">
        {description}. {pluralize(jobs.failed, 'job')} failed
        {jobs.failed > failed.length && `; the latest ${failed.length} are listed`}. A retried job gets all
        its attempts again.
      </p>
      <table class="stacked">
        <caption class="unseen">Failed jobs of {queue}, the latest first</caption>
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col">Job</th>
            <th scope="col" class="number">
              Holds
            </th>
            <th scope="col" class="number">
              Attempts
            </th>
            <th scope="col">Failed</th>
            <th scope="col">
              <span class="unseen">Retry</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {failed.map(({ id, failedAt, items, attempts, reason }) => (
            <tr key={id}>
              <th scope="row" class="message">
                <bdi>{reason || 'No reason was given'}</bdi>
              </th>
              <td data-label="Job">
                <bdi>{id}</bdi>
              </td>
              <td data-label="Holds" class="number">
                {items === undefined ? 'unknown data' : pluralize(items, noun)}
              </td>
              <td data-label="Attempts" class="number">
                {figure(attempts)}
              </td>
              <td data-label="Failed">{failedAt ? <Moment at={failedAt} /> : 'unknown'}</td>
              <td>
                <Form action="/admin/queues/retry">
                  <input type="hidden" name="queue" value={queue} />
                  <input type="hidden" name="job" value={id} />
                  <button type="submit" class="quiet" aria-label={`Retry job ${id}`}>
                    Retry
                  </button>
                </Form>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
