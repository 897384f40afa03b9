import type { Context, Next } from 'koa';

/** For every answer of the app: nothing is sniffed, framed, cached by a stranger or told to the next site. */
export async function securityHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  });
  await next();
}
