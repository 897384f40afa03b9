import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type {
  AppControllerRoute,
  AppViewRoute,
  BoardHooks,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/dist/types.js';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { type OperatorAction, recordAction } from '../accounts/operator-actions.ts';
import { AppError } from '../errors.ts';
import { basePathOf } from '../http/base-path.ts';
import { type OpenedQueue, type QueueAccess, withoutStatement } from '../queue/queue-access.ts';
import { isJobOf } from '../queue/queue-definition.ts';
import { isSameOrigin } from '../web/middleware/forms.ts';
import { type Routes, createRoutes } from '../web/routes.ts';
import type { Services } from '../web/services.ts';
import { userOf } from '../web/middleware/session.ts';
import { boardPolicy, loadBoardPage } from './board-page.tsx';

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

const boardPath = '/admin/board';

/** The board's page, files and data for the queues, on our own router. */
async function createBoardRouter(
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

/** Every other action of the board would lose, change or stop scans. */
const allowedChanges = new Map<string, OperatorAction>([
  ['put /api/queues/:queueName/retry/:queueStatus', 'queue.retry'],
  ['put /api/queues/:queueName/promote', 'queue.promote'],
  ['put /api/queues/:queueName/:jobId/retry', 'queue.retry'],
  ['put /api/queues/:queueName/:jobId/promote', 'queue.promote'],
]);

const maxNameLength = 100;

interface BoardChange {
  action: OperatorAction;
  /** The queue. */
  target: string;
  note: string | undefined;
}

/** An allowed change as the audit log has it, named by its route: a path can be written in several ways. */
function describeChange(
  method: string,
  route: string,
  { queueName = '', jobId }: Record<string, string>,
): BoardChange | undefined {
  const action = allowedChanges.get(`${method} ${route}`);
  const note = jobId === undefined ? undefined : `Job ${jobId.slice(0, maxNameLength)}`;
  return action && { action, target: queueName.slice(0, maxNameLength), note };
}

const refusal = 'Not allowed, because scans would be lost. This board can only retry and promote jobs.';

/** What operators may do and see. Enforced on the server, whatever buttons the page shows. */
const boardRules: Required<BoardHooks> = {
  before({ method, route }) {
    if (method === 'get' || allowedChanges.has(`${method} ${route}`)) return;
    return { allow: false, status: 403, message: refusal };
  },
  after: (_context, result) => ({
    ...result,
    body: JSON.parse(JSON.stringify(result.body), (_key, value: unknown) =>
      typeof value === 'string' ? withoutStatement(value) : value,
    ) as typeof result.body,
  }),
};

/** What bull-board passes to a server adapter. */
interface BoardParts {
  queues: BullBoardQueues;
  viewsFolder: string;
  filesFolder: string;
  entry: AppViewRoute;
  api: AppControllerRoute[];
  uiConfig: UIConfig;
}

/** Collects what bull-board passes to its server adapter, so that we can build our own router from it. */
function collectBoardParts(create: (adapter: IServerAdapter) => void): BoardParts {
  const parts: Partial<BoardParts> = {};
  const keep = (more: Partial<BoardParts>) => {
    Object.assign(parts, more);
    return adapter;
  };
  const adapter: IServerAdapter = {
    setQueues: (queues) => keep({ queues }),
    setViewsPath: (viewsFolder) => keep({ viewsFolder }),
    setStaticPath: (_route, filesFolder) => keep({ filesFolder }),
    setEntryRoute: (entry) => keep({ entry }),
    // The app's own error handling is used instead.
    setErrorHandler: () => adapter,
    setApiRoutes: (api) => keep({ api }),
    setUIConfig: (uiConfig) => keep({ uiConfig }),
  };
  create(adapter);
  return parts as BoardParts;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};
/** The name contains a content hash, so browsers may cache the file forever. */
const isHashed = (name: string) => /\.[0-9a-f]{10}\.\w+$/.test(name);

/** The board's scripts, styles and images, read once. Serving from this list rules out path traversal. */
async function loadBoardFiles(folder: string): Promise<(ctx: Context, name: string) => void> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1).replaceAll('\\', '/'), await readFile(path));
  }
  return (ctx, name) => {
    const bytes = files.get(name);
    if (!bytes) return;
    ctx.set(
      'Cache-Control',
      isHashed(name) ? 'private, max-age=31536000, immutable' : 'private, max-age=300',
    );
    ctx.type = types[extname(name)] ?? 'application/octet-stream';
    ctx.body = bytes;
  };
}
