import { listActions } from '../../accounts/operator-actions.ts';
import { withTimeout } from '../../runtime/timeout.ts';
import { readActivity, readProcesses } from '../../store/process-reports.ts';
import { AuditView } from './audit/audit-view.tsx';
import { listFindings } from './overview/findings.ts';
import { OverviewView } from './overview/overview-view.tsx';
import { type Routes, createRoutes } from '../routes.ts';
import { queryText } from '../ui/form.ts';
import { createPages } from '../ui/page.ts';
import type { Services } from '../services.ts';

const queueTimeoutMs = 1_500;

/** The state of the service, as its processes report it. */
export function overviewPages(parts: Services): Routes {
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

const actionsPerPage = 50;
const maxCursorLength = 100;

/** The audit log: changes by operators. */
export function auditPages(parts: Services): Routes {
  const pages = createPages(parts);
  const routes = createRoutes('/admin/audit');

  routes.get('operator', '/', async (ctx) => {
    const before = queryText(ctx, 'before').slice(0, maxCursorLength);
    const found = await listActions(parts.db, { limit: actionsPerPage + 1, before });
    const actions = found.slice(0, actionsPerPage);
    pages.show(ctx, AuditView, {
      actions,
      firstPage: before ? '/admin/audit' : undefined,
      nextPage: found.length > actionsPerPage ? `/admin/audit?before=${actions.at(-1)?.id}` : undefined,
    });
  });
  return routes;
}
