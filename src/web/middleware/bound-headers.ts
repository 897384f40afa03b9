import type { Context, Next } from 'koa';

/** A browser sends less than 300 characters of each. Parsing 16 KB of `Accept` takes the library half a second. */
const longest = 1_000;
const negotiated = ['accept', 'accept-encoding', 'accept-language'] as const;

/** Cuts the headers that content negotiation parses, before anything looks at them. */
export function boundHeaders({ req: { headers } }: Context, next: Next): Promise<void> {
  for (const name of negotiated) {
    const value = headers[name];
    if (value && value.length > longest) headers[name] = value.slice(0, longest);
  }
  return next() as Promise<void>;
}
