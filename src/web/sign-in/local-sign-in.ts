import type { Context } from 'koa';
import type { Routes } from '../routes.ts';
import type { Services } from '../services.ts';
import { createPages } from '../ui/page.ts';
import { ProviderOnlyView } from './openid-view.tsx';

/**
 * Adds routes of passwords, passkeys, second factors and links by mail to `routes`. With OIDC_ONLY, all of them refuse and
 * offer the OpenID provider.
 */
export function localSignIn(routes: Routes, parts: Services): Pick<Routes, 'get' | 'post'> {
  if (!parts.config.openId?.isOnly) return routes;
  const pages = createPages(parts);
  const refuse = (ctx: Context) => pages.show(ctx, ProviderOnlyView, {}, { status: 403 });
  return {
    get: (access, path) => routes.get(access, path, refuse),
    post: (access, path) => routes.post(access, path, refuse),
  };
}
