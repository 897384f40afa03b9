import { createPages } from '../../src/web/app.ts';
import { unsubscribePages } from '../../src/web/account/unsubscribe-routes.ts';
import { createApiRouter, operations } from '../../src/web/api/router.ts';
import { loadConfig } from '../../src/config.ts';

/** A method and path, read from the router. */
export interface Route {
  method: string;
  path: string;
}

interface Layer {
  path: string | RegExp;
  methods: string[];
}

/** Routers only store their dependencies when they are created, except for these. */
const parts = {
  config: loadConfig({ BASE_URL: 'https://qr.test' }),
  sessions: {},
  closing: new AbortController().signal,
} as unknown as Parameters<typeof createPages>[0] & Parameters<typeof createApiRouter>[0];

const routesOf = (stack: Layer[]): Route[] =>
  stack.flatMap(({ path, methods }) => methods.map((method) => ({ method, path: String(path) })));

export const apiRoutes = routesOf(createApiRouter(parts).stack);
/** The link to unsubscribe is no page with a CSRF token, so it has a router of its own. */
const allPages = routesOf([...createPages(parts).stack, ...unsubscribePages(parts).stack]);
/** For operators: nobody else may learn that they exist. */
export const operatorRoutes = allPages.filter(({ path }) => path.startsWith('/admin'));
export const pageRoutes = allPages.filter(({ path }) => !path.startsWith('/admin'));

/** The parameters of a query or body that are ids, as the schemas of the operations say. */
export const apiIdParameters = operations.flatMap(({ id, query, body }) =>
  Object.entries({ ...query?.properties, ...body?.properties } as Record<string, { format?: string }>)
    .filter(([, { format }]) => format === 'uuid')
    .map(([name]) => `${id} ${name}`),
);
