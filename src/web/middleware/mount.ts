import type { Middleware } from 'koa';

/** The middleware, for the paths below a prefix only. */
export function mount(prefix: string, middleware: Middleware): Middleware {
  const bare = prefix.replace(/\/$/, '');
  return (ctx, next) => (ctx.path.startsWith(prefix) || ctx.path === bare ? middleware(ctx, next) : next());
}
