import type { Context } from 'koa';
import type { FieldError } from '../../errors.ts';
import { isLabel, normalizeLabel } from '../../codes/label.ts';

const maxSearchLength = 254;
export const maxReasonLength = 500;

/** A parameter of the address, bounded, and without what PostgreSQL rejects. */
export function queryText(ctx: Context, name: string): string {
  const value = ctx.query[name];
  return typeof value === 'string'
    ? value.slice(0, maxSearchLength).replaceAll('\0', '').toWellFormed().trim()
    : '';
}

/** One line: the list of blocks and the audit log show it. */
export function normalizeReason(text: string): string {
  return normalizeLabel(text.replaceAll(/\s+/g, ' '), maxReasonLength);
}

export function reasonErrors(reason: string): FieldError[] {
  if (reason === '') return [];
  if ([...reason].length > maxReasonLength)
    return [{ field: 'reason', message: `must have at most ${maxReasonLength} characters` }];
  return isLabel(reason) ? [] : [{ field: 'reason', message: 'must not contain invisible characters' }];
}
