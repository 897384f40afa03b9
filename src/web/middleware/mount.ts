import type { Middleware } from 'koa';

/** Runs the middleware only for paths below the prefix. */
export function mount(prefix: string, middleware: Middleware): Middleware {
  const bare = prefix.replace(/\/$/, '');
  return (ctx, next) => (ctx.path.startsWith(prefix) || ctx.path === bare ? middleware(ctx, next) : next());
}
