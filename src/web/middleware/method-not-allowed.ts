import type Router from '@koa/router';
import type { Context, Next } from 'koa';
import { AppError } from '../../errors.ts';

/** For a path that exists, asked with a method that it does not take. Says nothing of whether what it names exists. */
export function methodNotAllowed(router: Router) {
  return async (ctx: Context, next: Next): Promise<void> => {
    await next();
    if (ctx.status !== 404 || ctx.body !== undefined) return;
    const allowed = [...new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))];
    if (allowed.length === 0 || allowed.includes(ctx.method)) return;
    const list = allowed.join(', ');
    // A form that came back with errors has left its address in the bar, and somebody may open that again.
    const message = allowed.includes('GET')
      ? `${ctx.method} is not allowed here; use ${list}.`
      : 'This address takes forms only. Open the page that the form is on.';
    throw new AppError('validation_error', message, { status: 405, headers: { Allow: list } });
  };
}
