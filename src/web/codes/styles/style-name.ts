import { isLabel } from '../../../codes/label.ts';
import type { FieldError } from '../../../errors.ts';

export const maxStyleNameLength = 100;

/** `field` is that of the form. */
export function styleNameErrors(name: string, of: string): FieldError[] {
  if (name === '') return [{ field: of, message: 'must not be empty' }];
  if ([...name].length > maxStyleNameLength)
    return [{ field: of, message: `must have at most ${maxStyleNameLength} characters` }];
  return isLabel(name) ? [] : [{ field: of, message: 'must not contain invisible characters' }];
}
