import { endOfDay } from '../../codes/lifetime.ts';
import type { FieldError } from '../../errors.ts';

export const invalidDay = 'must be a day, such as 2030-12-31';
export const pastDay = 'This day is over. Choose a day from today on';

/**
 * The end, in UTC, of the day in the field `lastDay`. Undefined where it is empty. A day in the past is an error: what ends then
 * would never work.
 */
export function readLastDay(
  values: Record<string, string>,
  now: Date,
): { expiresAt?: Date; errors: FieldError[] } {
  const day = values['lastDay'] ?? '';
  if (day === '') return { errors: [] };
  const end = endOfDay(day);
  const error = (message: string) => ({ errors: [{ field: 'lastDay', message }] });
  if (end === undefined) return error(invalidDay);
  if (new Date(end) <= now) return error(pastDay);
  return { expiresAt: new Date(end), errors: [] };
}
