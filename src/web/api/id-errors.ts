import { validate as isUuid } from 'uuid';
import type { FieldError } from '../../errors.ts';

/** Of the first in a list that is not an id. */
export function idErrors(field: string, given: unknown): FieldError[] {
  const wrong = Array.isArray(given) ? given.findIndex((each) => !isUuid(each)) : -1;
  return wrong < 0 ? [] : [{ field: `${field}[${wrong}]`, message: 'must be a valid uuid' }];
}
