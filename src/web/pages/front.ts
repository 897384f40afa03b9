import type { Middleware } from 'koa';
import { frontView } from '../views/front.ts';

export function frontPage(baseUrl: string): Middleware {
  const view = frontView(baseUrl);
  return (ctx, next) => {
    if (ctx.path !== '/' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.type = 'html';
    ctx.body = view;
  };
}
