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
    return createBoardRouter(await queues.open(), queues.query, basePathOf(baseUrl));
  }

  /** The path is `/admin/board/api/queues/<queue>/…`, and only retry and promote are allowed. */
  async function record(ctx: Context): Promise<void> {
    const [, , queue = '', ...rest] = ctx.path.slice(boardPath.length + 1).split('/');
    const action = rest.includes('promote') ? 'queue.promote' : 'queue.retry';
    // `…/<job>/retry`, or `…/retry/<state>` for all.
    const isOne = rest.length === 2 && rest[0] !== 'retry';
    const note = isOne ? `Job ${rest[0]}` : undefined;
    await recordAction(
      db,
      { operatorId: userOf(ctx).id, action, target: queue.slice(0, 100), note: note?.slice(0, 200) },
      now(),
    );
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
    if (isChange && ctx.status < 300) await record(ctx);
  });
  return routes;
}
