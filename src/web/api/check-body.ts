import type { FieldError } from '../../errors.ts';
import type { BodyRules } from './operation.ts';
import type { Validator } from './validation.ts';

/** The errors of the schema and, for the fields that passed it, those of the rules. */
export async function findErrors(
  validate: Validator,
  body: unknown,
  rules: BodyRules,
): Promise<FieldError[]> {
  const errors = validate(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return errors;
  const invalidFields = new Set(errors.map((error) => error.field));
  const valid = Object.fromEntries(Object.entries(body).filter(([field]) => !invalidFields.has(field)));
  return [...errors, ...(await rules(valid, invalidFields)).filter(({ field }) => !invalidFields.has(field))];
}
