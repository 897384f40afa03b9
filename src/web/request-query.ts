import type Koa from 'koa';
import { parseQuery } from '../http/query-string.ts';

/** Makes `ctx.query` parse in linear time, in the shape that Koa gives it: a text, or a list where a name comes twice. */
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
