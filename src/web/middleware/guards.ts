import type { Context, Middleware } from 'koa';
import { AppError } from '../../errors.ts';
import { hasBearerToken } from '../../telemetry/metrics-server.ts';
import type { Guards } from '../routes.ts';
import { redirect, signedIn } from '../ui/page.ts';

/** The guard of each access that a route can declare. They run inside the matched route: see `serveRoutes`. */
export function createGuards(authenticateKey: Middleware, metricsToken: string | undefined): Guards {
  return {
    stranger: (_ctx, next) => next(),
    user: needUser,
    // For everyone else, whatever the method, there is nothing here.
    operator: (ctx, next) => (signedIn(ctx)?.isAdmin === true ? next() : Promise.reject(nothingHere())),
    key: authenticateKey,
    monitor: (ctx, next) =>
      metricsToken !== undefined && hasBearerToken(ctx.get('Authorization'), metricsToken)
        ? next()
        : Promise.reject(nothingHere()),
  };
}

/** Redirects strangers to the sign-in page, which returns here afterwards. */
export async function needUser(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  if (signedIn(ctx)) {
    await next();
    return;
  }
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  const signIn = isRead ? `/signin?next=${encodeURIComponent(ctx.url)}` : '/signin?ended';
  // A script opens the page itself. An image or an event stream cannot follow a redirect to it.
  if (ctx.accepts('html', 'json') === 'json') throw sessionEnded(signIn);
  if (!ctx.accepts('html')) throw nothingHere();
  redirect(ctx, signIn);
}

function sessionEnded(signIn: string): AppError {
  return new AppError('validation_error', 'Your session has ended. Sign in again.', {
    status: 401,
    headers: { Location: signIn },
  });
}

function nothingHere(): AppError {
  return new AppError('not_found', 'There is nothing at this address.');
}
