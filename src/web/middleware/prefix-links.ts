import type { Middleware } from 'koa';

/** Matches attributes only: quotes in text are escaped. */
const ownLink = / (href|src|action|formaction)="\/(?!\/)/g;

/** Prefixes our own links, in pages and redirects, with the path of BASE_URL. */
export function prefixLinks(basePath: string): Middleware {
  if (basePath === '') return (_ctx, next) => next();
  return async (ctx, next) => {
    await next();
    const location = ctx.response.get('Location');
    if (/^\/(?!\/)/.test(location)) ctx.set('Location', `${basePath}${location}`);
    if (typeof ctx.body === 'string' && ctx.response.is('html')) ctx.body = prefixLinksIn(ctx.body, basePath);
  };
}

/** For pages that are sent as bytes. */
export function prefixLinksIn(html: string, basePath: string): string {
  if (basePath === '') return html;
  const inAttribute = basePath.replaceAll('&', '&amp;');
  return html.replaceAll(ownLink, (_link, name: string) => ` ${name}="${inAttribute}/`);
}
