import type { Context, Middleware, Next } from 'koa';
import { koaBody } from 'koa-body';
import { createTokenBuckets } from '../../accounts/token-buckets.ts';
import { AppError } from '../../errors.ts';
import { parseUrl } from '../../http/parse-url.ts';
import { parseQuery } from '../../http/query-string.ts';
import { inTurn } from './caller.ts';
import { needUser } from './guards.ts';
import { callerAddress } from './caller-address.ts';
import { hasFile, readMultipart } from './multipart.ts';
import type { Services } from '../services.ts';

const maxBytes = 64 * 1024;
const maxFields = 200;
/** Per hour. A whole office may share one address. */
const maxFormsPerAddress = 2_000;
/** Sent while typing. On their own, so that saving is never refused because of them. */
const previewPaths = /^\/codes\/(?:preview|(?:styles\/)?[\w-]{1,64}\/design\/preview)$/;
const maxPreviewsPerAddress = 20_000;

/** Read as text: koa-body's own parser takes 50 ms and more for 64 KB of brackets, dots or broken UTF-8. */
const readText = koaBody({
  text: true,
  textTypes: ['urlencoded'],
  textLimit: maxBytes,
  json: false,
  urlencoded: false,
  multipart: false,
  onError: (error) => {
    const isTooLarge = 'status' in error && error.status === 413;
    throw new AppError('validation_error', isTooLarge ? 'The form is too large.' : 'The form is malformed.', {
      status: isTooLarge ? 413 : 400,
    });
  },
});

/** Parses posted forms, and refuses those from other sites and those over the rate limit. */
export function forms({
  config,
  secrets,
  sessions,
  uploads,
}: Pick<Services, 'config' | 'secrets' | 'sessions' | 'uploads'>): Middleware {
  const receiveInTurn = inTurn(uploads);
  const ownHost = new URL(config.baseUrl).host;
  // In memory, per process: refusing a form must not cost a query.
  const formBuckets = createTokenBuckets(maxFormsPerAddress);
  const previewBuckets = createTokenBuckets(maxPreviewsPerAddress);

  function rateLimit(ctx: Context): void {
    const buckets = previewPaths.test(ctx.path) ? previewBuckets : formBuckets;
    const waitMs = buckets.take(secrets.hashAddress(callerAddress(ctx, config.trustProxyHops)));
    if (waitMs > 0) throw tooManyForms(waitMs);
  }

  return async (ctx, next) => {
    if (ctx.method !== 'POST') return next();
    const isMultipart = hasFile(ctx);
    if (!isMultipart && !ctx.is('urlencoded'))
      throw new AppError('validation_error', 'This page only accepts forms.', { status: 415 });
    if (isCrossOrigin(ctx, ownHost)) throw refusal('It was sent from another site.');
    // So much is read from users only.
    if (isMultipart) return needUser(ctx, () => acceptUpload(ctx, next));
    await readText(ctx, async () => undefined);
    ctx.request.body = parseForm(ctx.request.body);
    requireToken(ctx);
    rateLimit(ctx);
    return next();
  };

  /** Limited before it is read: an upload takes one of few slots. */
  function acceptUpload(ctx: Context, next: Next): Promise<void> {
    rateLimit(ctx);
    return receiveInTurn(ctx, async () => {
      ctx.request.body = await readMultipart(ctx);
      requireToken(ctx);
      await next();
    });
  }

  function requireToken(ctx: Context): void {
    // Pages that were opened before an upgrade from 0.1.0 send it as `formToken`.
    const csrf = sessions.checkCsrf(ctx, field(ctx, 'csrfToken') || field(ctx, 'formToken'));
    if (csrf === 'invalid')
      throw refusal('The page was open for too long, or cookies are disabled. Open it again and repeat.');
    if (csrf === 'other account')
      throw refusal('You have since signed in with a different account. Open the page again and repeat.');
  }
}

/** A field that was sent twice is ignored, and so are those after the first 200. */
export function parseForm(text: unknown): Record<string, string> {
  const pairs = typeof text === 'string' ? text.split('&', maxFields) : [];
  const fields = parseQuery(pairs.join('&'));
  const single = [...fields].flatMap(([name, [value = '', ...more]]) =>
    more.length === 0 ? [[name, value]] : [],
  );
  return Object.assign(Object.create(null), Object.fromEntries(single)) as Record<string, string>;
}

/** A field of the posted form, or an empty string. */
export function field(ctx: Context, name: string): string {
  const form: unknown = ctx.request.body;
  const value = typeof form === 'object' && form !== null ? Reflect.get(form, name) : undefined;
  return typeof value === 'string' ? value : '';
}

/** For requests without a CSRF token: only these headers show that they come from one of our pages. */
export function isSameOrigin(ctx: Context, ownHost: string): boolean {
  const hasHeader = ctx.get('Sec-Fetch-Site') !== '' || ctx.get('Origin') !== '';
  return hasHeader && !isCrossOrigin(ctx, ownHost);
}

// Browsers set these headers, and a page cannot change them.
function isCrossOrigin(ctx: Context, ownHost: string): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site && site !== 'same-origin') return true;
  const origin = ctx.get('Origin');
  if (origin === '') return false;
  const host = parseUrl(origin)?.host ?? '';
  return host !== ctx.host && host !== ownHost;
}

function tooManyForms(waitMs: number): AppError {
  return new AppError('rate_limited', 'Too many forms were sent from your address. Try again later.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) },
  });
}

function refusal(reason: string): AppError {
  return new AppError('validation_error', `The form was not accepted. ${reason}`, { status: 403 });
}
