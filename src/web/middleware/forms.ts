import type { Context, Middleware } from 'koa';
import { koaBody } from 'koa-body';
import { createRequestBudget } from '../../accounts/request-budget.ts';
import type { ServiceSecrets } from '../../accounts/secrets.ts';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { parseUrl } from '../../http/parse-url.ts';
import { parseQuery } from '../../http/query-string.ts';
import { callerAddress } from './caller-address.ts';
import type { Sessions } from './session.ts';

const mostBytes = 64 * 1024;
const mostFields = 200;
/** An hour, and more than people send: an office may be one address. */
const mostFormsPerAddress = 2_000;

/** As text: the library's own parser takes 50 ms and more for 64 KB of brackets, dots or broken UTF-8. */
const readText = koaBody({
  text: true,
  textTypes: ['urlencoded'],
  textLimit: mostBytes,
  json: false,
  urlencoded: false,
  multipart: false,
  onError: (error) => {
    const tooLong = 'status' in error && error.status === 413;
    throw new AppError('validation_error', tooLong ? 'The form is too long.' : 'The form cannot be read.', {
      status: tooLong ? 413 : 400,
    });
  },
});

interface FormsParts {
  config: Config;
  secrets: ServiceSecrets;
  checkCsrf: Sessions['checkCsrf'];
}

/** Reads a posted form, and refuses one that was not sent from a page of ours, or that is one of too many. */
export function forms({ config, secrets, checkCsrf }: FormsParts): Middleware {
  const ownHost = new URL(config.baseUrl).host;
  // In memory, for each process: a form that is refused must not cost a write.
  const budget = createRequestBudget(mostFormsPerAddress);

  function limit(ctx: Context): void {
    const waitMs = budget.take(secrets.disguiseAddress(callerAddress(ctx, config.trustProxyHops)));
    if (waitMs > 0) throw tooManyForms({ resetInMs: waitMs });
  }

  return async (ctx, next) => {
    if (ctx.method !== 'POST') return next();
    if (!ctx.is('urlencoded'))
      throw new AppError('validation_error', 'This address takes forms only.', { status: 415 });
    if (isFromElsewhere(ctx, ownHost)) throw refusal('It was sent from another site.');
    await readText(ctx, async () => undefined);
    ctx.request.body = parseForm(ctx.request.body);
    const verdict = checkCsrf(ctx, field(ctx, 'csrfToken'));
    if (verdict === 'strange')
      throw refusal('The page was open for too long, or cookies are off. Open it again and repeat.');
    if (verdict === "somebody else's")
      throw refusal('It was opened in another account than the one that is signed in now.');
    limit(ctx);
    return next();
  };
}

/** The fields that were sent once; one that was sent twice is none, nor is what follows on more than any form has. */
export function parseForm(text: unknown): Record<string, string> {
  const pairs = typeof text === 'string' ? text.split('&', mostFields) : [];
  const fields = parseQuery(pairs.join('&'));
  const single = [...fields].flatMap(([name, [value = '', ...more]]) =>
    more.length === 0 ? [[name, value]] : [],
  );
  return Object.assign(Object.create(null), Object.fromEntries(single)) as Record<string, string>;
}

/** A field of the form that was posted: one text, however it was sent. */
export function field(ctx: Context, name: string): string {
  const form: unknown = ctx.request.body;
  const value = typeof form === 'object' && form !== null ? Reflect.get(form, name) : undefined;
  return typeof value === 'string' ? value : '';
}

/** For requests without a form token: nothing but what the browser says shows that they come from a page of ours. */
export function isFromHere(ctx: Context, ownHost: string): boolean {
  const isTold = ctx.get('Sec-Fetch-Site') !== '' || ctx.get('Origin') !== '';
  return isTold && !isFromElsewhere(ctx, ownHost);
}

// Browsers say where a request comes from, and no page can make them say otherwise.
function isFromElsewhere(ctx: Context, ownHost: string): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site && site !== 'same-origin') return true;
  const origin = ctx.get('Origin');
  if (origin === '') return false;
  const host = parseUrl(origin)?.host ?? '';
  return host !== ctx.host && host !== ownHost;
}

function tooManyForms({ resetInMs }: { resetInMs: number }): AppError {
  return new AppError('rate_limited', 'Too many forms were sent from your address. Try again later.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(resetInMs / 1_000))) },
  });
}

function refusal(reason: string): AppError {
  return new AppError('validation_error', `The form was not accepted. ${reason}`, { status: 403 });
}
