import type Koa from 'koa';
import { parseQuery } from '../http/parse-url.ts';

/** Makes `ctx.query` parse in linear time, in Koa's shape: a string, or an array where a name is repeated. */
export function useLinearQuery(app: Koa): void {
  Object.defineProperty(app.request, 'query', {
    get(this: Koa.Request) {
      const entries = [...parseQuery(this.querystring)].map(([name, values]) => [
        name,
        values.length === 1 ? values[0] : values,
      ]);
      return Object.assign(Object.create(null), Object.fromEntries(entries)) as Koa.Request['query'];
    },
  });
}
