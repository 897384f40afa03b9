import type { Context, Next } from 'koa';

/** Browsers send less than 300 characters of each. Koa takes half a second to parse 16 KB of `Accept`. */
const maxLength = 1_000;
const negotiatedHeaders = ['accept', 'accept-encoding', 'accept-language'] as const;

/** Truncates the headers of content negotiation before anything parses them. */
export function boundHeaders({ req: { headers } }: Context, next: Next): Promise<void> {
  for (const name of negotiatedHeaders) {
    const value = headers[name];
    if (value && value.length > maxLength) headers[name] = value.slice(0, maxLength);
  }
  return next() as Promise<void>;
}
