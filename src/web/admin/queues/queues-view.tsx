import { formatDuration, pluralize } from '../../../doctor/format.ts';
import type { QueueDepth } from '../../../queue/queue-depth.ts';
import { Empty } from '../../ui/empty.tsx';
import { Form } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { figure } from '../../ui/words.tsx';
import { AdminLayout } from '../admin-layout.tsx';

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
  /** Names the items of a job, in the singular. */
  noun: string;
  /** The latest. */
  failed: FailedJob[];
}

export function QueuesView({ queues }: { queues: ShownQueue[] }) {
  const withFailed = queues.filter(({ failed }) => failed.length > 0);
  return (
    <AdminLayout
      title="Queues"
      at="/admin/queues"
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
        <Empty icon="circle-check" title="No failed jobs">
          <p>Jobs that fail after all their attempts are listed here, to be retried.</p>
        </Empty>
      )}
    </AdminLayout>
  );
}

/** How full each queue is, and how long its oldest job has waited. */
export function QueueTable({ queues }: { queues: QueueDepth[] }) {
  const count = (name: string, state: 'waiting' | 'active' | 'delayed') => ({
    name,
    isNumber: true,
    cell: ({ jobs }: QueueDepth) => figure(jobs[state]),
  });
  return (
    <Table
      class="stacked inline"
      caption="Jobs by queue and state"
      rows={queues}
      keyOf={({ queue }) => queue}
      columns={[
        { name: 'Queue', cell: ({ queue }) => queue },
        count('Waiting', 'waiting'),
        count('Active', 'active'),
        count('Delayed', 'delayed'),
        {
          name: 'Failed',
          isNumber: true,
          cell: ({ jobs: { failed } }) =>
            failed > 0 ? <span class="badge bad">{figure(failed)}</span> : figure(failed),
        },
        { name: 'Oldest job', isNumber: true, cell: ({ oldestWaitingMs }) => ageInWords(oldestWaitingMs) },
      ]}
    />
  );
}

function ageInWords(ms: number): string {
  if (ms === 0) return '–';
  return ms < 1_000 ? 'under 1 second' : formatDuration(ms);
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
      <Table
        class="stacked"
        caption={`Failed jobs of ${queue}, the latest first`}
        rows={failed}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'Reason',
            class: 'message',
            cell: ({ reason }) => <bdi>{reason || 'No reason was given'}</bdi>,
          },
          { name: 'Job', cell: ({ id }) => <bdi>{id}</bdi> },
          {
            name: 'Holds',
            isNumber: true,
            cell: ({ items }) => (items === undefined ? 'unknown data' : pluralize(items, noun)),
          },
          { name: 'Attempts', isNumber: true, cell: ({ attempts }) => figure(attempts) },
          { name: 'Failed', cell: ({ failedAt }) => (failedAt ? <Moment at={failedAt} /> : 'unknown') },
          {
            name: 'Retry',
            isAction: true,
            cell: ({ id }) => (
              <Form action="/admin/queues/retry">
                <input type="hidden" name="queue" value={queue} />
                <input type="hidden" name="job" value={id} />
                <button type="submit" class="quiet" aria-label={`Retry job ${id}`}>
                  Retry
                </button>
              </Form>
            ),
          },
        ]}
      />
    </section>
  );
}
