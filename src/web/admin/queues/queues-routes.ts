import type { Job } from 'bullmq';
import { recordAction } from '../../../accounts/operator-actions.ts';
import { AppError } from '../../../errors.ts';
import {
  type OpenedQueue,
  retryFailedJob,
  retryFailedJobs,
  withoutStatement,
} from '../../../queue/queue-access.ts';
import { isJobOf } from '../../../queue/queue-definition.ts';
import { queueDepth } from '../../../queue/queue-depth.ts';
import { field } from '../../middleware/forms.ts';
import { createPages } from '../../ui/page.ts';
import type { Services } from '../../services.ts';
import { userOf } from '../../middleware/session.ts';
import { type FailedJob, QueuesView } from './queues-view.tsx';
import { type Routes, createRoutes } from '../../routes.ts';

const jobsShown = 20;
const maxReasonLength = 500;
const maxIdLength = 200;
/** Shorter than the time after which the page gives up. */
const retryAllMs = 7_000;
const flashTexts = {
  one: 'The job is back in the queue.',
  all: 'The failed jobs are back in the queue.',
  some: 'Some of the failed jobs are back in the queue. There are many: retry again for the rest.',
  gone: 'This job has not failed, or was retried by somebody else.',
};
type QueuesFlash = keyof typeof flashTexts;

/** The queues: how full they are, and the jobs that failed for good. */
export function queuesPages(parts: Services): Routes {
  const { db, now } = parts;
  const routes = createRoutes('/admin/queues');
  const pages = createPages(parts, flashTexts);

  async function readQueue({ definition, queue }: OpenedQueue) {
    const depth = await queueDepth(queue);
    const jobs = depth.jobs.failed > 0 ? await queue.getJobs(['failed'], 0, jobsShown - 1, false) : [];
    const describe = ({
      id = '',
      finishedOn,
      data,
      attemptsMade,
      failedReason,
    }: Job<unknown>): FailedJob => ({
      id,
      failedAt: finishedOn === undefined ? undefined : new Date(finishedOn),
      items: isJobOf(definition, data) ? definition.items.count(data) : undefined,
      attempts: attemptsMade,
      reason: withoutStatement(failedReason ?? '').slice(0, maxReasonLength),
    });
    const { description, items } = definition;
    return { depth, description, noun: items.noun, failed: jobs.map(describe) };
  }

  routes.get('operator', '/', async (ctx) => {
    const { access } = parts.queues;
    const opened = await access.open();
    // One after the other: on PostgreSQL there are few connections.
    const queues = await access.query(async () => {
      const read = [];
      for (const queue of opened) read.push(await readQueue(queue));
      return read;
    });
    pages.show(ctx, QueuesView, { queues });
  });

  routes.post('operator', '/retry', async (ctx) => {
    const [name, id] = [field(ctx, 'queue'), field(ctx, 'job')];
    const { access } = parts.queues;
    const opened = (await access.open()).find(({ definition }) => definition.name === name);
    if (!opened || id.length > maxIdLength || id.includes('\0'))
      throw new AppError('not_found', 'There is no such queue or job.');
    // First, because the queue is not part of a transaction: a retry must not go unrecorded.
    const entry = { operatorId: userOf(ctx).id, action: 'queue.retry', target: name } as const;
    await recordAction(db, { ...entry, note: id ? `Job ${id}` : 'All failed jobs' }, now());
    const flash = await access.query(() => retry(opened, id));
    pages.redirectWithFlash(ctx, '/admin/queues', flash);
  });
  return routes;
}

/** All failed jobs where no id is given. */
async function retry({ queue }: OpenedQueue, id: string): Promise<QueuesFlash> {
  if (id !== '') return (await retryFailedJob(queue, id)) ? 'one' : 'gone';
  const endsAt = performance.now() + retryAllMs;
  let isOver = false;
  await retryFailedJobs(
    queue,
    () => undefined,
    () => {
      isOver = performance.now() > endsAt;
      return isOver;
    },
  );
  return isOver ? 'some' : 'all';
}
