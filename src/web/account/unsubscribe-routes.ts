import { AppError } from '../../errors.ts';
import { isNoticeKind, muteNotice } from '../../notices/owners.ts';
import { type PageParts, show, visitorOf } from '../ui/page.ts';
import { UnsubscribeView } from './unsubscribe-view.tsx';
import { createRoutes, type Routes } from '../routes.ts';

/**
 * The link in notices that switches off those of its kind. POST is what mail programs send when their button is pressed
 * (RFC 8058): without cookies, and as any kind of form, so it is not one of the pages with a CSRF token. Its body says
 * nothing that matters and is not read. GET changes nothing: mail programs open links, too.
 */
export function unsubscribePages(parts: PageParts): Routes {
  const { db, secrets } = parts;
  const routes = createRoutes();

  function readToken(token: string) {
    const { userId, kind } = secrets.readUnsubscribeToken(token) ?? {};
    if (userId === undefined || !isNoticeKind(kind))
      throw new AppError('not_found', 'This link does not work. Switch off emails on the page Account.');
    return { userId, kind };
  }

  routes.get('stranger', '/unsubscribe/:token', (ctx) => {
    const { kind } = readToken(ctx.params['token'] as string);
    show(ctx, UnsubscribeView, { visitor: visitorOf(ctx, parts), kind, isDone: false });
  });

  routes.post('stranger', '/unsubscribe/:token', async (ctx) => {
    const { userId, kind } = readToken(ctx.params['token'] as string);
    await muteNotice(db, userId, kind);
    show(ctx, UnsubscribeView, { visitor: visitorOf(ctx, parts), kind, isDone: true });
  });
  return routes;
}
