import { withTimeout } from '../../../runtime/timeout.ts';
import { readActivity, readProcesses } from '../../../store/process-reports.ts';
import { createPages, type PageParts } from '../../ui/page.ts';
import { OverviewView } from './overview-view.tsx';
import { listFindings } from './findings.ts';
import { createRoutes, type Routes } from '../../routes.ts';

const queueTimeoutMs = 1_500;

/** What the service does now, as all its processes report it. */
export function overviewPages(parts: PageParts): Routes {
  const { db, now } = parts;
  const pages = createPages(parts);
  const routes = createRoutes('/admin');

  routes.get('operator', '/', async (ctx) => {
    const [processes, activity, queues] = await Promise.all([
      readProcesses(db),
      readActivity(db),
      withTimeout(queueTimeoutMs, parts.queues.depths()).catch(() => undefined),
    ]);
    const droppedPerSecond = activity.perSecond.get('dropped') ?? 0;
    const findings = listFindings({ processes, queues, droppedPerSecond, now: now() });
    pages.show(ctx, OverviewView, { processes, activity, queues, findings, now: now() });
  });
  return routes;
}
