import type { Context, Next } from 'koa';

const apiPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Own assets only, and no inline script or style. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** For a page that shows a share page in a frame: its style has the nonce, and its picture is a `data:` URL. */
export function policyWithPreview(styleNonce: string): string {
  return pagePolicy
    .replace("style-src 'self'", `style-src 'self' 'nonce-${styleNonce}'`)
    .replace("img-src 'self'", "img-src 'self' data:");
}

/** For a page that shows pictures which its script has got for a file that is not saved yet. */
export const policyWithBlobs = pagePolicy.replace("img-src 'self'", "img-src 'self' blob:");

/** For a page that shows both. */
export function policyWithDesigner(styleNonce: string): string {
  return policyWithPreview(styleNonce).replace("img-src 'self'", "img-src 'self' blob:");
}

/** Sets on every response: no MIME sniffing, framing, shared caching or referrer to other sites. */
export async function securityHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': ctx.path.startsWith('/api/') ? apiPolicy : pagePolicy,
    // Not `no-referrer`: browsers would send `Origin: null` with our own forms.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  });
  await next();
}

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
