import type { Context, Middleware } from 'koa';
import { recordAction } from '../accounts/operator-actions.ts';
import { AppError } from '../errors.ts';
import { basePathOf } from '../http/base-path.ts';
import type { QueueAccess } from '../queue/queue-access.ts';
import type { Database } from '../store/database.ts';
import { isSameOrigin } from '../web/middleware/forms.ts';
import { createRoutes, type Routes } from '../web/routes.ts';
import { userOf } from '../web/ui/page.ts';
import { boardPath, createBoardRouter } from './board-router.ts';
import type { BoardChange } from './board-rules.ts';

interface QueueBoardParts {
  queues: QueueAccess;
  db: Database;
  baseUrl: string;
  now: () => Date;
}

/** bull-board for operators. */
export function createQueueBoard({ queues, db, baseUrl, now }: QueueBoardParts): Routes {
  const routes = createRoutes(boardPath);
  const ownHost = new URL(baseUrl).host;
  let router: Promise<Middleware> | undefined;

  async function open(): Promise<Middleware> {
    const record = (ctx: Context, change: BoardChange) =>
      recordAction(db, { operatorId: userOf(ctx).id, ...change }, now());
    return createBoardRouter(await queues.open(), queues.query, basePathOf(baseUrl), record);
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
