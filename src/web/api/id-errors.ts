import { validate as isUuid } from 'uuid';
import type { FieldError } from '../../errors.ts';

const maxListed = 20;

/** Of those in a list that are not ids; the first 20, because the list may have a thousand. */
export function idErrors(field: string, given: unknown): FieldError[] {
  if (!Array.isArray(given)) return [];
  const wrong = given.flatMap((each, index) => (isUuid(each) ? [] : [index]));
  return wrong
    .slice(0, maxListed)
    .map((index) => ({ field: `${field}[${index}]`, message: 'must be a valid uuid' }));
}
