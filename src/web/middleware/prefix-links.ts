import type { Middleware } from 'koa';

/** In pages that are written here: a quotation mark in a text is escaped, so that only attributes match. */
const ownLink = / (href|src|action)="\/(?!\/)/g;

/** Puts the path of BASE_URL in front of every link to ourselves, in pages and in redirects. */
export function prefixLinks(basePath: string): Middleware {
  if (basePath === '') return (_ctx, next) => next();
  const inAttribute = basePath.replaceAll('&', '&amp;');
  return async (ctx, next) => {
    await next();
    const location = ctx.response.get('Location');
    if (/^\/(?!\/)/.test(location)) ctx.set('Location', `${basePath}${location}`);
    if (typeof ctx.body === 'string' && ctx.response.is('html'))
      ctx.body = ctx.body.replaceAll(ownLink, (_link, name: string) => ` ${name}="${inAttribute}/`);
  };
}
