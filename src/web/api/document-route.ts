import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { anonymousHourlyQuota } from '../../limits.ts';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { buildOpenApi } from './openapi.ts';
import { openApiPath, operations } from './router.ts';
import { createRoutes, type Routes } from '../routes.ts';

const allowed = 'HEAD, GET';

interface DocumentParts {
  config: Pick<Config, 'baseUrl' | 'abuseContact'>;
  now: () => Date;
}

/**
 * The OpenAPI document, built once and served from memory to anybody. Requests for it are not counted, so its
 * rate limit headers are those of an unused window.
 */
export function documentRoutes({ config, now }: DocumentParts): Routes {
  const json = Buffer.from(JSON.stringify(buildOpenApi(operations, config)));
  const gzip = gzipSync(json, { level: 9 });
  const digest = createHash('sha256').update(json).digest('base64url');
  const routes = createRoutes();

  routes.add('stranger', 'ALL', openApiPath, (ctx) => {
    ctx.set({
      'X-RateLimit-Limit': String(anonymousHourlyQuota),
      'X-RateLimit-Remaining': String(anonymousHourlyQuota),
      'X-RateLimit-Reset': String(Math.ceil(now().getTime() / 1000)),
    });
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw new AppError('validation_error', `${ctx.method} is not allowed here; use ${allowed}.`, {
        status: 405,
        code: 'method_not_allowed',
        headers: { Allow: allowed },
      });
    const isGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    ctx.vary('Accept-Encoding');
    const etag = `"${digest}${isGzip ? '-gzip' : ''}"`;
    ctx.set({ 'Cache-Control': 'no-cache', ETag: etag });
    // Not `ctx.fresh`: fetch sends `Cache-Control: no-cache` along with every If-None-Match, and `fresh` would never answer 304.
    if (ctx.get('If-None-Match').includes(etag)) {
      ctx.status = 304;
      return;
    }
    if (isGzip) ctx.set('Content-Encoding', 'gzip');
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = isGzip ? gzip : json;
  });
  return routes;
}
