import type { Context, Next } from 'koa';
import type { RateWindow } from '../../accounts/authenticate.ts';
import { parseApiKey } from '../../accounts/api-key-format.ts';
import { anonymousHourlyQuota } from '../../accounts/plans.ts';
import { createRateLimiter } from '../../accounts/rate-limiter.ts';
import type { ServiceSecrets } from '../../accounts/secrets.ts';
import { AppError } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import { callerAddress } from './caller-address.ts';
import { retryAfterSeconds } from './errors.ts';

interface AdmissionOptions {
  db: Database;
  secrets: ServiceSecrets;
  trustProxyHops: number;
  now: () => Date;
}

/** Authenticates and limits everything below `/api/`, and puts the window's figures on every answer. */
export function admission({ db, secrets, trustProxyHops, now }: AdmissionOptions) {
  const limiter = createRateLimiter(db);

  return async (ctx: Context, next: Next): Promise<void> => {
    // Should the database not answer, these stand: come back after the pause.
    setWindow(ctx, {
      limit: anonymousHourlyQuota,
      remaining: 0,
      resetAt: Math.ceil(now().getTime() / 1000) + retryAfterSeconds,
    });
    const address = secrets.disguiseAddress(callerAddress(ctx, trustProxyHops));
    const { ownerId, admitted, window } = await limiter.admit(parseApiKey(presentedKey(ctx)), address);
    setWindow(ctx, window);
    if (!admitted) throw rateLimited(window);
    if (ownerId === undefined) throw invalidApiKey();
    ctx.state['ownerId'] = ownerId;
    return next();
  };
}

function presentedKey(ctx: Context): string {
  return /^Bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1] ?? '';
}

function setWindow(ctx: Context, { limit, remaining, resetAt }: Omit<RateWindow, 'resetInMs'>): void {
  ctx.set('X-RateLimit-Limit', String(limit));
  ctx.set('X-RateLimit-Remaining', String(remaining));
  ctx.set('X-RateLimit-Reset', String(resetAt));
}

/** The wait is a length of time, so that it holds whatever the clocks of this process and of the client say. */
function rateLimited({ limit, resetInMs }: RateWindow): AppError {
  const waitSeconds = Math.max(1, Math.ceil(resetInMs / 1000));
  return new AppError(
    'rate_limited',
    `The limit of ${limit} requests an hour is used up. Try again in ${waitSeconds} seconds.`,
    { headers: { 'Retry-After': String(waitSeconds) } },
  );
}

/** The same for a missing, malformed, unknown and revoked key, so that nothing can be told apart. */
function invalidApiKey(): AppError {
  return new AppError(
    'invalid_api_key',
    'A valid API key is needed: send the header Authorization: Bearer <API_KEY>.',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );
}
