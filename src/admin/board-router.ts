import Router from '@koa/router';
import type { AppControllerRoute } from '@bull-board/api/dist/types.js';
import type { Context, Middleware } from 'koa';
import { AppError } from '../errors.ts';
import { isJobOf } from '../queue/queue-definition.ts';
import type { OpenedQueue, QueueAccess } from '../queue/queue-access.ts';
import { loadBoardFiles } from './board-files.ts';
import { boardPolicy, loadBoardPage } from './board-page.tsx';
import { type BoardParts, collectBoardParts } from './board-parts.ts';
import { type BoardChange, boardRules, describeChange } from './board-rules.ts';

export const boardPath = '/admin/board';

/** The board's page, files and data for the queues, on our own router. */
export async function createBoardRouter(
  shownQueues: OpenedQueue[],
  queryQueue: QueueAccess['query'],
  basePath: string,
  record: (ctx: Context, change: BoardChange) => Promise<void>,
): Promise<Middleware> {
  const { queues, viewsFolder, filesFolder, entry, api, uiConfig } = await describeBoard(
    shownQueues,
    basePath,
  );
  const page = await loadBoardPage(viewsFolder);
  const sendFile = await loadBoardFiles(filesFolder);
  const router = new Router({ prefix: boardPath, sensitive: true });

  router.get([entry.route].flat(), async (ctx) => {
    // Only checks that the queue can be reached.
    await queryQueue(async () => undefined);
    ctx.set('Content-Security-Policy', boardPolicy);
    ctx.type = 'html';
    ctx.body = page(entry.handler({ basePath: boardPath, uiConfig }));
  });
  router.get('/static/*file', (ctx) => sendFile(ctx, ctx.path.slice(`${boardPath}/static/`.length)));
  for (const { method, route, handler } of api.flatMap(eachRoute)) {
    router.register(route, [method], async (ctx) => {
      const { params, query } = ctx;
      const change = queues.has(params['queueName'] ?? '') && describeChange(method, route, params);
      // First, so that there is no change without its entry. A change that fails has one too.
      if (change) await record(ctx, change);
      // None of the allowed changes has a body.
      const request = { queues, uiConfig, params, query, body: {}, headers: {} };
      const { status = 200, body } = await queryQueue(async () => handler(request)).catch(rejectStaleClick);
      ctx.status = status;
      ctx.body = body;
    });
  }
  return router.routes() as unknown as Middleware;
}

function eachRoute({ method, route, handler }: AppControllerRoute) {
  return [route]
    .flat()
    .flatMap((each) => [method].flat().map((name) => ({ method: name, route: each, handler })));
}

/** The job may have changed state since the page was loaded. BullMQ then throws an error with a negative code. */
function rejectStaleClick(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'number' || code >= 0) throw error;
  throw new AppError(
    'validation_error',
    'The state of the job has changed in the meantime. Reload the page.',
    {
      status: 409,
      cause: error,
    },
  );
}

/** bull-board is loaded here, at the first visit: a web process that no operator asks is as light as before. */
async function describeBoard(shownQueues: OpenedQueue[], basePath: string): Promise<BoardParts> {
  const { createBullBoard } = await import('@bull-board/api');
  const { BullMQAdapter } = await import('@bull-board/api/bullMQAdapter');
  const adapters = shownQueues.map(({ definition, queue }) => {
    const adapter = new BullMQAdapter(queue, { description: definition.description });
    adapter.setFormatter('data', (data: unknown) =>
      isJobOf(definition, data) ? definition.visibleData(data) : {},
    );
    return adapter;
  });
  return collectBoardParts((serverAdapter) =>
    createBullBoard({
      queues: adapters,
      serverAdapter,
      options: {
        uiConfig: {
          boardTitle: 'Qrelay queues',
          miscLinks: [{ text: 'Back to Qrelay', url: `${basePath}/admin/queues` }],
          hideDocsLink: true,
        },
        handlerHooks: boardRules,
      },
    }),
  );
}
