import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'koa';
import { basePathOf } from '../http/base-path.ts';
import { TimeoutError, withTimeout } from '../runtime/timeout.ts';
import { AppError } from '../errors.ts';
import { connectToQueues, type QueueConnection, type QueuePlace } from '../queue/queue-connection.ts';
import { allQueues } from '../queue/queues.ts';
import { isDatabaseUnavailable } from '../store/database.ts';
import type { Log } from '../telemetry/log.ts';
import { retryAfterSeconds } from '../web/middleware/errors.ts';
import { isFromHere } from '../web/middleware/forms.ts';
import { signedIn } from '../web/ui/page.ts';
import { createBoardRouter } from './board-router.ts';

const connectWithinMs = 2_000;
const answerWithinMs = 10_000;
const closeWithinMs = 2_000;

export interface QueueBoard {
  middleware: Middleware;
  close(): Promise<void>;
}

interface QueueBoardParts {
  place: QueuePlace;
  baseUrl: string;
  log: Log;
}

/** The queue for operators. For everybody else there is nothing here: they get what any missing page gives. */
export function createQueueBoard({ place, baseUrl, log }: QueueBoardParts): QueueBoard {
  const ownHost = new URL(baseUrl).host;
  let connection: QueueConnection | undefined;
  let router: Promise<Middleware> | undefined;

  // The connection is opened at the first visit: a web process that no operator asks has none.
  async function connected(): Promise<QueueConnection> {
    connection ??= connectToQueues(place, log);
    for (const giveUpAt = Date.now() + connectWithinMs; !connection.isReady(); await sleep(20)) {
      if (Date.now() > giveUpAt) throw unreachable();
    }
    return connection;
  }

  async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    const { isReady } = await connected();
    try {
      return await withTimeout(answerWithinMs, question());
    } catch (error) {
      throw isReady() && !isAway(error) ? error : unreachable(error);
    }
  }

  async function open(): Promise<Middleware> {
    const { queue } = await connected();
    const shown = allQueues.map((definition) => ({ definition, queue: queue(definition) }));
    return createBoardRouter(shown, ask, basePathOf(baseUrl));
  }

  return {
    async middleware(ctx, next) {
      if (signedIn(ctx)?.isAdmin !== true) return next();
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD' && !isFromHere(ctx, ownHost))
        throw new AppError('validation_error', 'This was not accepted: it was sent from another site.', {
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
      if (connection) await withTimeout(closeWithinMs, connection.close()).catch(() => undefined);
    },
  };
}

function isAway(error: unknown): boolean {
  if (error instanceof TimeoutError || isDatabaseUnavailable(error)) return true;
  // As ioredis says it of a server that hangs.
  return error instanceof Error && error.message === 'Command timed out';
}

function unreachable(cause?: unknown): AppError {
  return new AppError(
    'internal_error',
    'The queue cannot be reached right now. Is Redis or PostgreSQL running? Scans are kept meanwhile. Try again shortly.',
    { status: 503, headers: { 'Retry-After': String(retryAfterSeconds) }, cause },
  );
}
