import type { FieldError } from '../../errors.ts';
import type { BodyRules } from './operation.ts';
import type { Validator } from './validation.ts';

/** Every error of a body: those its schema finds and, for the fields that passed it, those the rules find. */
export async function findErrors(
  validate: Validator,
  body: unknown,
  rules: BodyRules,
): Promise<FieldError[]> {
  const errors = validate(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return errors;
  const bad = new Set(errors.map((error) => error.field));
  const sound = Object.fromEntries(Object.entries(body).filter(([field]) => !bad.has(field)));
  return [...errors, ...(await rules(sound, bad)).filter(({ field }) => !bad.has(field))];
}
