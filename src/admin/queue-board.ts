import type { Context, Middleware } from 'koa';
import { recordAction } from '../accounts/operator-actions.ts';
import { AppError } from '../errors.ts';
import { basePathOf } from '../http/base-path.ts';
import { isSameOrigin } from '../web/middleware/forms.ts';
import { createRoutes, type Routes } from '../web/routes.ts';
import type { Services } from '../web/services.ts';
import { userOf } from '../web/ui/page.ts';
import { boardPath, createBoardRouter } from './board-router.ts';
import type { BoardChange } from './board-rules.ts';

/** bull-board for operators. */
export function createQueueBoard({
  queues,
  db,
  config: { baseUrl },
  now,
}: Pick<Services, 'queues' | 'db' | 'config' | 'now'>): Routes {
  const routes = createRoutes(boardPath);
  const ownHost = new URL(baseUrl).host;
  let router: Promise<Middleware> | undefined;

  async function open(): Promise<Middleware> {
    const record = (ctx: Context, change: BoardChange) =>
      recordAction(db, { operatorId: userOf(ctx).id, ...change }, now());
    return createBoardRouter(await queues.access.open(), queues.access.query, basePathOf(baseUrl), record);
  }

  routes.add('operator', 'ALL', '{/*rest}', async (ctx, next) => {
    const isChange = ctx.method !== 'GET' && ctx.method !== 'HEAD';
    if (isChange && !isSameOrigin(ctx, ownHost))
      throw new AppError('validation_error', 'Rejected: the request was sent from another site.', {
        status: 403,
      });
    router ??= open();
    const opened = await router.catch((error: unknown) => {
      router = undefined;
      throw error;
    });
    await opened(ctx, next);
  });
  return routes;
}
