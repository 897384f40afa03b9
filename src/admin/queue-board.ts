import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'koa';
import { basePathOf } from '../http/base-path.ts';
import { TimeoutError, withTimeout } from '../runtime/timeout.ts';
import { AppError } from '../errors.ts';
import type { QueueConnection, QueuePlace } from '../queue/queue-connection.ts';
import { allQueues } from '../queue/queues.ts';
import { queuesInUse } from '../queue/queues-in-use.ts';
import { isDatabaseUnavailable } from '../store/database.ts';
import type { Log } from '../telemetry/log.ts';
import { retryAfterSeconds } from '../web/middleware/errors.ts';
import { isSameOrigin } from '../web/middleware/forms.ts';
import { signedIn } from '../web/ui/page.ts';
import { createBoardRouter } from './board-router.ts';

const connectTimeoutMs = 2_000;
const queryTimeoutMs = 10_000;
const closeTimeoutMs = 2_000;

export interface QueueBoard {
  middleware: Middleware;
  close(): Promise<void>;
}

interface QueueBoardParts {
  place: QueuePlace;
  baseUrl: string;
  log: Log;
}

/** The queue board for operators. Everyone else gets a 404, as for any missing page. */
export function createQueueBoard({ place, baseUrl, log }: QueueBoardParts): QueueBoard {
  const ownHost = new URL(baseUrl).host;
  let connection: QueueConnection | undefined;
  let router: Promise<Middleware> | undefined;

  // Connects at the first visit, so that other web processes have no extra connection and do not load BullMQ.
  async function connect(): Promise<QueueConnection> {
    const { connectToQueues } = await import('../queue/queue-connection.ts');
    connection ??= connectToQueues(place, log);
    for (const giveUpAt = Date.now() + connectTimeoutMs; !connection.isReady(); await sleep(20)) {
      if (Date.now() > giveUpAt) throw unreachableError();
    }
    return connection;
  }

  async function queryQueue<Result>(query: () => Promise<Result>): Promise<Result> {
    const { isReady } = await connect();
    try {
      return await withTimeout(queryTimeoutMs, query());
    } catch (error) {
      throw isReady() && !isUnreachable(error) ? error : unreachableError(error);
    }
  }

  async function open(): Promise<Middleware> {
    const { queue, hasJobs } = await connect();
    const definitions = await queuesInUse(allQueues, place, hasJobs);
    const shown = definitions.map((definition) => ({ definition, queue: queue(definition) }));
    return createBoardRouter(shown, queryQueue, basePathOf(baseUrl));
  }

  return {
    async middleware(ctx, next) {
      if (signedIn(ctx)?.isAdmin !== true) return next();
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD' && !isSameOrigin(ctx, ownHost))
        throw new AppError('validation_error', 'Rejected: the request was sent from another site.', {
          status: 403,
        });
      router ??= open();
      const opened = await router.catch((error: unknown) => {
        router = undefined;
        throw error;
      });
      return opened(ctx, next);
    },
    async close() {
      if (connection) await withTimeout(closeTimeoutMs, connection.close()).catch(() => undefined);
    },
  };
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof TimeoutError || isDatabaseUnavailable(error)) return true;
  // ioredis's error for a server that hangs.
  return error instanceof Error && error.message === 'Command timed out';
}

function unreachableError(cause?: unknown): AppError {
  return new AppError(
    'internal_error',
    'The queue cannot be reached. Scans are kept until it is back. Check that Redis or PostgreSQL is running, then try again.',
    { status: 503, headers: { 'Retry-After': String(retryAfterSeconds) }, cause },
  );
}
