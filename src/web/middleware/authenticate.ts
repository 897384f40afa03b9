import type { Context, Next } from 'koa';
import type { RateWindow } from '../../accounts/authenticate.ts';
import { parseApiKey } from '../../accounts/api-key-format.ts';
import { createRateLimiter } from '../../accounts/rate-limiter.ts';
import { AppError } from '../../errors.ts';
import { anonymousHourlyQuota } from '../../limits.ts';
import type { Services } from '../services.ts';
import { callerAddress } from './caller-address.ts';
import { retryAfterSeconds } from './errors.ts';

/** Authenticates and rate limits everything below `/api/`, and sets the rate limit headers of every response. */
export function authenticate({
  db,
  secrets,
  config: { trustProxyHops, limits },
  now,
}: Pick<Services, 'db' | 'secrets' | 'config' | 'now'>) {
  const limiter = createRateLimiter(db, limits);

  return async (ctx: Context, next: Next): Promise<void> => {
    // Sent where the database does not answer.
    setRateLimit(ctx, {
      limit: anonymousHourlyQuota,
      remaining: 0,
      resetAt: Math.ceil(now().getTime() / 1000) + retryAfterSeconds,
    });
    const address = secrets.hashAddress(callerAddress(ctx, trustProxyHops));
    const { ownerId, isBlocked, isAllowed, window } = await limiter.check(
      parseApiKey(bearerToken(ctx)),
      address,
    );
    setRateLimit(ctx, window);
    if (!isAllowed) throw rateLimited(window);
    if (ownerId === undefined) throw invalidApiKey();
    if (isBlocked) throw blockedAccount();
    ctx.state['ownerId'] = ownerId;
    ctx.state['rateWindow'] = window;
    return next();
  };
}

function bearerToken(ctx: Context): string {
  return /^Bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1] ?? '';
}

function setRateLimit(
  ctx: Context,
  { limit, remaining, resetAt }: Pick<RateWindow, 'limit' | 'remaining' | 'resetAt'>,
): void {
  ctx.set('X-RateLimit-Limit', String(limit));
  ctx.set('X-RateLimit-Remaining', String(remaining));
  ctx.set('X-RateLimit-Reset', String(resetAt));
}

/** A duration, so that the clocks of the server and the client need not agree. */
function rateLimited({ limit, resetInMs }: RateWindow): AppError {
  const waitSeconds = Math.max(1, Math.ceil(resetInMs / 1000));
  return new AppError(
    'rate_limited',
    `The limit of ${limit} requests per hour is exceeded. Try again in ${waitSeconds} seconds.`,
    { headers: { 'Retry-After': String(waitSeconds) } },
  );
}

/** The same for a missing, malformed, unknown and revoked key, so that the response does not reveal which keys exist. */
function invalidApiKey(): AppError {
  return new AppError(
    'invalid_api_key',
    'A valid API key is required. Send it in the header Authorization: Bearer <API_KEY>.',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );
}

/** Only for whoever has a valid key, so it reveals nothing to others. */
function blockedAccount(): AppError {
  return new AppError(
    'invalid_api_key',
    'The account of this API key is blocked. Contact the operator of this service.',
    { headers: { 'WWW-Authenticate': 'Bearer' }, code: 'account_blocked' },
  );
}
