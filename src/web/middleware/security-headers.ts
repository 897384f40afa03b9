import type { Context, Next } from 'koa';

const apiPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Pages use what is ours and nobody else's, and nothing that is written into them. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** For every answer of the app: nothing is sniffed, framed, cached by a stranger or told to the next site. */
export async function securityHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': ctx.path.startsWith('/api/') ? apiPolicy : pagePolicy,
    // Not `no-referrer`: browsers would then send `Origin: null` with our own forms.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  });
  await next();
}
