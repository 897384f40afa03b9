import type { Context, Next } from 'koa';
import { AppError, BusyError } from '../../errors.ts';
import { isDatabaseUnavailable } from '../../store/database.ts';
import type { Log } from '../../telemetry/log.ts';
import { throttledLog } from '../../telemetry/throttle.ts';
import { requestIdsOf } from './observe.ts';

export const retryAfterSeconds = 5;

/** Shows an error as a page. */
export type ShowError = (ctx: Context, error: { status: number; message: string }) => void;

/** Turns every error into the API's error body or a page. Unexpected errors are logged and shown as `internal_error`. */
export function errors(log: Log, showProblem: ShowError) {
  const write = throttledLog(log, { maxLines: 50 });
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined) {
        throw new AppError('not_found', 'There is nothing at this address.');
      }
    } catch (error) {
      const shown = toAppError(error);
      if (shown.code === 'internal_error' && !(shown instanceof BusyError))
        write('error', { err: error, ...requestIdsOf(ctx) }, 'request failed');
      ctx.set(shown.headers);
      if (!ctx.path.startsWith('/api/') && ctx.accepts('json', 'html') === 'html') {
        showProblem(ctx, shown);
        return;
      }
      ctx.status = shown.status;
      ctx.body = {
        error: shown.code,
        ...(shown.reason !== undefined && { code: shown.reason }),
        message: shown.message,
        ...(shown.details && { details: shown.details }),
        requestId: ctx.state['requestId'] as string,
      };
    }
  };
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) {
    return new AppError(
      'internal_error',
      'The service cannot reach its database right now. Try again shortly.',
      {
        status: 503,
        headers: { 'Retry-After': String(retryAfterSeconds) },
        code: 'database_unavailable',
      },
    );
  }
  return new AppError('internal_error', 'Something went wrong on our side. Try again later.');
}
