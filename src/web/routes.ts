import { METHODS } from 'node:http';
import Router, { type RouterContext } from '@koa/router';
import type { Middleware, Next } from 'koa';
import { isScope, type Scope } from '../accounts/key-scopes.ts';
import { AppError, SetupError } from '../errors.ts';

/**
 * Who may use a route: anybody, a member of the workspace with at least this role, whoever looks at the demo in the same way,
 * a person who is signed in, an operator who is signed in, a program with an API key, or monitoring with METRICS_TOKEN.
 */
export const accesses = [
  'stranger',
  'viewer or demo',
  'viewer',
  'editor or demo',
  'editor',
  'owner',
  'person',
  'operator',
  'key',
  'monitor',
] as const;
export type Access = (typeof accesses)[number];

const accessesOfMembers: ReadonlySet<Access> = new Set([
  'viewer or demo',
  'viewer',
  'editor or demo',
  'editor',
  'owner',
]);
/** Whether a route is about a workspace. */
export const isForMembers = (access: Access) => accessesOfMembers.has(access);

type Handler = (ctx: RouterContext, next: Next) => unknown;

/** An entry of the route table. */
export interface Route {
  methods: readonly string[];
  path: string;
  access: Access;
  /** What an API key must be allowed to do. Only routes for keys have one, and each of these does. */
  scope?: Scope;
  handlers: Handler[];
}

/** Lets the request pass, or responds instead of the route. */
type Guard = (...given: [...Parameters<Middleware>, scope?: Scope]) => unknown;
export type Guards = Record<Access, Guard>;
export type PageAccess = Exclude<Access, 'key'>;

export interface Routes {
  list: Route[];
  get(access: PageAccess, path: string, handler: Handler): void;
  post(access: PageAccess, path: string, handler: Handler): void;
  /** One method, or all that HTTP knows. */
  add(access: PageAccess, method: string, path: string, ...handlers: Handler[]): void;
  /** For programs whose API key has the scope. */
  addForKeys(scope: Scope, method: string, path: string, ...handlers: Handler[]): void;
}

/** The routes of a feature. Each declares who may use it. */
export function createRoutes(prefix = ''): Routes {
  const list: Route[] = [];
  const routeOf = (method: string, path: string, handlers: Handler[]) => ({
    methods: method === 'ALL' ? METHODS : method === 'GET' ? ['GET', 'HEAD'] : [method],
    path: path === '/' && prefix !== '' ? prefix : prefix + path,
    handlers,
  });
  const add: Routes['add'] = (access, method, path, ...handlers) =>
    list.push({ access, ...routeOf(method, path, handlers) });
  return {
    list,
    get: (access, path, handler) => add(access, 'GET', path, handler),
    post: (access, path, handler) => add(access, 'POST', path, handler),
    add,
    addForKeys: (scope, method, path, ...handlers) =>
      list.push({ access: 'key', scope, ...routeOf(method, path, handlers) }),
  };
}

/**
 * Matches requests to routes. The guard runs inside the matched route, so no spelling of an address can reach a handler
 * without passing its guard. A path that has routes, but none for this method, gets a 405 from whoever passes the guard.
 */
export function serveRoutes(routes: Route[], guards: Guards): Middleware {
  requireDeclarations(routes);
  const router = new Router({ sensitive: true });
  const accessOf = new Map<unknown, Access>();
  for (const { methods, path, access, scope, handlers } of routes) {
    const guard: Middleware = (ctx, next) => {
      ctx.state['route'] = path;
      return guards[access](ctx, next, scope);
    };
    const layer = router.register(path, [...methods], [guard, ...handlers] as never);
    accessOf.set(layer, access);
  }
  const dispatch = router.routes() as unknown as Middleware;

  return (ctx, next) =>
    dispatch(ctx, async () => {
      const { path: layers, route: isHandled } = router.match(ctx.path, ctx.method);
      const access = accessOf.get(layers[0]);
      if (isHandled || access === undefined) return next();
      await guards[access](ctx, async () => {
        throw methodNotAllowed(ctx.method, [...new Set(layers.flatMap(({ methods }) => methods))]);
      });
    });
}

/** The types require a declaration, too. This also holds for code that gets around them. */
function requireDeclarations(routes: Route[]): void {
  const known: readonly unknown[] = accesses;
  const undeclared = routes.filter(
    ({ access, scope }) => !known.includes(access) || (access === 'key' && !isScope(scope)),
  );
  if (undeclared.length > 0)
    throw new SetupError(
      `These routes do not declare who may use them: ${undeclared.map(({ methods, path }) => `${methods[0]} ${path}`).join(', ')}.`,
    );
}

/** Does not reveal whether the resource exists. */
function methodNotAllowed(method: string, allowed: string[]): AppError {
  const list = allowed.join(', ');
  // The address of a form that was shown again with errors stays in the address bar, and may be opened from there.
  const message = allowed.includes('GET')
    ? `${method} is not allowed here; use ${list}.`
    : 'This page only accepts forms. Open the page with the form.';
  return new AppError('validation_error', message, {
    status: 405,
    code: 'method_not_allowed',
    headers: { Allow: list },
  });
}
