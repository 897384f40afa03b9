import { loadConfig } from '../../src/config.ts';
import { operations } from '../../src/web/api/router.ts';
import { listRoutes } from '../../src/web/route-table.ts';
import type { Access } from '../../src/web/routes.ts';

/** A method, path and access, read from the route table. */
export interface Route {
  method: string;
  path: string;
  access: Access;
}

/** Every route, except those that accept all methods: the board, which has a path for each, and the OpenAPI document. */
export const allRoutes: Route[] = listRoutes(loadConfig({ BASE_URL: 'https://qr.test' }))
  .filter(({ methods }) => methods.length <= 2)
  .flatMap(({ methods, path, access }) => methods.map((method) => ({ method, path, access })));

export const apiRoutes = allRoutes.filter(({ access }) => access === 'key');
/** For operators: nobody else may learn that they exist. */
export const operatorRoutes = allRoutes.filter(({ access }) => access === 'operator');
export const pageRoutes = allRoutes.filter(
  ({ access, path }) =>
    !['operator', 'key', 'monitor'].includes(access) && !/^\/(?:assets|brand|healthz|readyz)/.test(path),
);

/** The parameters of a query or body that are ids, as the schemas of the operations say. */
export const apiIdParameters = operations.flatMap(({ id, query, body }) =>
  Object.entries({ ...query?.properties, ...body?.properties } as Record<string, { format?: string }>)
    .filter(([, { format }]) => format === 'uuid')
    .map(([name]) => `${id} ${name}`),
);
