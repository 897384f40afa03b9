import type { Context } from 'koa';
import { formsSubject } from '../accounts/account-limits.ts';
import { takeAttempt } from '../accounts/request-windows.ts';
import { requireRoomForCodes } from '../codes/code-limit.ts';
import { AppError } from '../errors.ts';
import { limitsOf } from '../limits.ts';
import { type PageParts, userOf } from './ui/page.ts';

/**
 * Counts a form that costs as much as a request of the API, so that a session is no way around the limit of a key. Call it before
 * the expensive work, and show the form again with what `refusedByLimit` makes of the error.
 */
export async function spendForm(
  ctx: Context,
  { db, config }: Pick<PageParts, 'db' | 'config'>,
): Promise<void> {
  const user = userOf(ctx);
  const { formsPerHour } = limitsOf(user, config.limits);
  const limit = { subject: formsSubject(user.id), maxPerHour: formsPerHour };
  const { isAllowed, retryAfter } = await takeAttempt(db, limit);
  if (isAllowed) return;
  ctx.set('Retry-After', String(retryAfter));
  const minutes = Math.ceil(retryAfter / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  throw new AppError(
    'rate_limited',
    `Your account has used up its ${formsPerHour} saves, uploads and prints per hour. Send this again in ${wait}.`,
    { code: 'quota_exceeded' },
  );
}

export interface RefusedForm {
  problem: string;
  status: number;
}

/** What a form says, with the input in it, where a limit of the account refuses it. Undefined for every other error. */
export function refusedByLimit(error: unknown, outcome = 'Not saved. '): RefusedForm | undefined {
  if (!(error instanceof AppError) || error.reason !== 'quota_exceeded' || error.details) return undefined;
  return { problem: `${outcome}${error.message}`, status: error.status };
}

/** For the form of a new code, before somebody fills it in for nothing. */
export async function findFullAccount(
  ctx: Context,
  { db, config }: Pick<PageParts, 'db' | 'config'>,
): Promise<RefusedForm | undefined> {
  try {
    await requireRoomForCodes(db, userOf(ctx).id, 1, config.limits);
    return undefined;
  } catch (error) {
    const refused = refusedByLimit(error, '');
    if (!refused) throw error;
    return { ...refused, status: 200 };
  }
}
