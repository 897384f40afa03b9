import { listActions } from '../../../accounts/operator-actions.ts';
import { type PageParts, show, visitorOf } from '../../ui/page.ts';
import { queryText } from '../admin-input.ts';
import { AuditView } from './audit-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

const actionsPerPage = 50;

/** What operators changed. */
export function auditPages(parts: PageParts): Routes {
  const { db } = parts;
  const routes = createRoutes('/admin/audit');

  routes.get('operator', '/', async (ctx) => {
    const before = queryText(ctx, 'before');
    const found = await listActions(db, { limit: actionsPerPage + 1, before });
    const actions = found.slice(0, actionsPerPage);
    show(ctx, AuditView, {
      visitor: visitorOf(ctx, parts),
      actions,
      firstPage: before ? '/admin/audit' : undefined,
      nextPage: found.length > actionsPerPage ? `/admin/audit?before=${actions.at(-1)?.id}` : undefined,
    });
  });
  return routes;
}
