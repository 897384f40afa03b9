import { listActions } from '../../../accounts/operator-actions.ts';
import { queryText } from '../../ui/form.ts';
import { createPages, type PageParts } from '../../ui/page.ts';
import { AuditView } from './audit-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

const actionsPerPage = 50;
const maxCursorLength = 100;

/** What operators changed. */
export function auditPages(parts: PageParts): Routes {
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
