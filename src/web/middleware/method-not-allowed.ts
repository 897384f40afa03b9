import type Router from '@koa/router';
import type { Context, Next } from 'koa';
import { AppError } from '../../errors.ts';

/** Answers 405 for a path that has routes, but none for this method. Does not reveal whether the resource exists. */
export function methodNotAllowed(router: Router) {
  return async (ctx: Context, next: Next): Promise<void> => {
    await next();
    if (ctx.status !== 404 || ctx.body !== undefined) return;
    const allowed = [...new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))];
    if (allowed.length === 0 || allowed.includes(ctx.method)) return;
    const list = allowed.join(', ');
    // The address of a form that was shown again with errors stays in the address bar, and may be opened from there.
    const message = allowed.includes('GET')
      ? `${ctx.method} is not allowed here; use ${list}.`
      : 'This page only accepts forms. Open the page with the form.';
    throw new AppError('validation_error', message, {
      status: 405,
      headers: { Allow: list },
      code: 'method_not_allowed',
    });
  };
}
