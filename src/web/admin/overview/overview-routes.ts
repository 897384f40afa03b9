import { withTimeout } from '../../../runtime/timeout.ts';
import { readActivity, readProcesses } from '../../../store/process-reports.ts';
import { type PageParts, show, visitorOf } from '../../ui/page.ts';
import { OverviewView } from './overview-view.tsx';
import { findProblems } from './problems.ts';
import { createRoutes, type Routes } from '../../routes.ts';

const queueTimeoutMs = 1_500;

/** What the service does now, as all its processes report it. */
export function overviewPages(parts: PageParts): Routes {
  const { db } = parts;
  const routes = createRoutes('/admin');

  routes.get('operator', '/', async (ctx) => {
    const [processes, activity, queues] = await Promise.all([
      readProcesses(db),
      readActivity(db),
      withTimeout(queueTimeoutMs, parts.queues.depths()).catch(() => undefined),
    ]);
    const droppedPerSecond = activity.perSecond.get('dropped') ?? 0;
    show(ctx, OverviewView, {
      visitor: visitorOf(ctx, parts),
      processes,
      activity,
      queues,
      problems: findProblems({ processes, queues, droppedPerSecond, now: parts.now() }),
      now: parts.now(),
    });
  });
  return routes;
}
