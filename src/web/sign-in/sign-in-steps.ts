import type { Context } from 'koa';
import { type AttemptLimit, takeAttempt } from '../../accounts/request-windows.ts';
import { commonPasswordError, passwordErrors } from '../../accounts/passwords.ts';
import { countSecondFactors, isSecondFactorNeeded } from '../../accounts/second-factors.ts';
import type { User } from '../../accounts/users.ts';
import type { FieldError } from '../../errors.ts';
import { parseUrl } from '../../http/parse-url.ts';
import type { Services } from '../services.ts';
import { redirect } from '../ui/page.ts';
import { returnPaths } from '../ui/sections.ts';
import { minutesInWords } from '../ui/words.tsx';

/** The page after signing in, unless another one was requested. */
export const home = '/codes';

const maxPathLength = 2_000;
const sectionPage = /^(?:\/w\/[a-z0-9-]{1,40})?(\/[\w-]+)(?:\/[\w.-]+){0,2}$/;
const base = 'http://own.invalid';

/**
 * The page to return to after signing in, if it is one of the app's. Parsed as browsers do and returned as parsed, so that
 * dots, slashes and backslashes cannot turn it into another page or site (open redirect).
 */
export function safeReturnPath(next: unknown): string | undefined {
  if (typeof next !== 'string' || next.length > maxPathLength || !next.startsWith('/')) return undefined;
  const url = parseUrl(base + next);
  return url && isAppPage(url.pathname) ? url.pathname + url.search : undefined;
}

function isAppPage(path: string): boolean {
  return path === '/' || returnPaths.has(sectionPage.exec(path)?.[1] ?? '');
}

/**
 * After the right password, or the OpenID provider: signs in, or asks for the second factor first. Where everybody signs in
 * with the provider, second factors are for it to ask for.
 */
export async function completeSignIn(
  ctx: Context,
  { db, config, sessions }: Services,
  user: User,
  next: string,
  { isConfirmed = false } = {},
): Promise<void> {
  if (!config.openId?.isOnly && isSecondFactorNeeded(await countSecondFactors(db, user.id))) {
    await sessions.startChallenge(ctx, { userId: user.id, challenge: null });
    return redirect(ctx, `/signin/second?next=${encodeURIComponent(next)}`);
  }
  await sessions.signIn(ctx, user, { isConfirmed });
  redirect(ctx, next);
}

/** Counts an attempt. At one of the limits, returns what the form says instead of being processed. */
export async function takeAttempts(
  ctx: Context,
  { db }: Services,
  limits: AttemptLimit[],
): Promise<string | undefined> {
  for (const limit of limits) {
    const { isAllowed, retryAfter } = await takeAttempt(db, limit);
    if (!isAllowed) return tooMany(ctx, retryAfter);
  }
  return undefined;
}

export function tooMany(ctx: Context, retryAfter: number): string {
  ctx.set('Retry-After', String(retryAfter));
  return `Too many attempts. Try again in ${minutesInWords(retryAfter)}.`;
}

/** The errors of a password that is being chosen. */
export async function newPasswordErrors(
  { passwords }: Services,
  field: string,
  password: string,
  email: string,
): Promise<FieldError[]> {
  const errors = passwordErrors(field, password, email);
  if (errors.length > 0 || !(await passwords.isCommon(password, email))) return errors;
  return [commonPasswordError(field)];
}
