import type { Context } from 'koa';
import { formsSubject } from '../../accounts/account-limits.ts';
import { takeAttempt } from '../../accounts/request-windows.ts';
import { requireRoomForCodes } from '../../codes/code-limit.ts';
import { isLabel } from '../../codes/label.ts';
import { AppError, BusyError, type FieldError, invalid } from '../../errors.ts';
import { limitsOf } from '../../limits.ts';
import type { Services } from '../services.ts';
import { workspaceIdOf, workspaceOf } from '../middleware/session.ts';
import { minutesInWords, withTemplates } from './words.tsx';

/** Why a form was not accepted. The page shows it again, with the input. */
export interface Refusal {
  errors: FieldError[];
  /** About the whole form. */
  error?: string | undefined;
  status: number;
}

/** Does the work of a form, which throws for invalid fields: see `requireValid`. The form is then shown again. */
export async function submit(
  work: () => Promise<void>,
  showAgain: (errors: FieldError[]) => Promise<void> | void,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    await showAgain(error.details);
  }
}

interface RefusalTexts {
  /** Says what was not done. */
  outcome?: string;
  /** Says what to do about marked fields. */
  marked?: string;
  /** Says what to enter again, because browsers do not keep it. */
  again?: string;
}

/** For forms with expensive work, which the limit of the account or a busy service may also refuse. Throws other errors. */
export function refusalOf(error: unknown, texts: RefusalTexts = {}): Refusal {
  const { outcome = 'Not saved.', marked = 'Check the marked fields.', again } = texts;
  const say = (...sentences: (string | undefined)[]) => sentences.filter(Boolean).join(' ');
  if (error instanceof BusyError)
    return { errors: [], error: say(error.message, again), status: error.status };
  if (!(error instanceof AppError)) throw error;
  const { message, status, details } = error;
  if (details) return { errors: details, error: say(outcome, marked, again), status: 400 };
  if (error.reason !== 'quota_exceeded' && error.code !== 'validation_error') throw error;
  return { errors: [], error: say(outcome, withTemplates(message), again), status };
}

/** Undefined for every error but a limit of the account. */
export function refusedByLimit(error: unknown, outcome?: string): Refusal | undefined {
  const isLimit = error instanceof AppError && error.reason === 'quota_exceeded' && !error.details;
  return isLimit ? refusalOf(error, outcome === undefined ? {} : { outcome }) : undefined;
}

/** Refuses the form where a field is invalid. */
export function requireValid(errors: FieldError[]): void {
  if (errors.length > 0) throw invalid(errors);
}

/** The errors of a name, or of another text of one line that is required. `missing` asks for it. */
export function labelErrors(field: string, text: string, maxLength: number, missing: string): FieldError[] {
  if (text === '') return [{ field, message: missing }];
  if ([...text].length > maxLength) return [{ field, message: `must have at most ${maxLength} characters` }];
  return isLabel(text) ? [] : [{ field, message: 'must not contain invisible characters' }];
}

/** A parameter of the address. PostgreSQL stores neither NUL nor lone surrogates, and rejects queries with them. */
export function queryText(ctx: Context, name: string): string {
  const value = ctx.query[name];
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : '';
}

/**
 * Counts a form that costs as much as a request of the API, so that a session is no way around the limit of a key. Call it before
 * the expensive work.
 */
export async function spendForm(
  ctx: Context,
  { db, config }: Pick<Services, 'db' | 'config'>,
): Promise<void> {
  const workspace = workspaceOf(ctx);
  const { formsPerHour } = limitsOf(workspace, config.limits);
  const limit = { subject: formsSubject(workspace.id), maxPerHour: formsPerHour };
  const { isAllowed, retryAfter } = await takeAttempt(db, limit);
  if (isAllowed) return;
  ctx.set('Retry-After', String(retryAfter));
  throw new AppError(
    'rate_limited',
    `Your account has used up its ${formsPerHour} saves, uploads and prints per hour. Send this again in ${minutesInWords(retryAfter)}.`,
    { code: 'quota_exceeded' },
  );
}

/** Tells owners that their account has no room for another code before they fill in the form. */
export async function findFullAccount(
  ctx: Context,
  { db, config }: Pick<Services, 'db' | 'config'>,
): Promise<Refusal | undefined> {
  try {
    await requireRoomForCodes(db, workspaceIdOf(ctx), 1, config.limits);
    return undefined;
  } catch (error) {
    const refusal = refusedByLimit(error, '');
    if (!refusal) throw error;
    return { ...refusal, status: 200 };
  }
}
