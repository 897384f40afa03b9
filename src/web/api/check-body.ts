import { type AppError, type ErrorReason, type FieldError, invalid } from '../../errors.ts';
import type { BodyRules } from './operation.ts';
import type { Validator } from './validation.ts';

/** An error with a code of its own: the response has it if all of its errors do. */
export interface RuleError extends FieldError {
  reason?: ErrorReason;
}

/** For bodies that name codes. Those of other owners are missing, too. */
export const missingCode = (field: string): RuleError => ({
  field,
  message: 'is not one of your QR codes',
  reason: 'qr_code_not_found',
});

export function refuseBody(errors: RuleError[]): AppError {
  const reasons = new Set(errors.map(({ reason }) => reason ?? 'invalid_fields'));
  const [only] = reasons;
  const details = errors.map(({ field, message }) => ({ field, message }));
  return invalid(details, reasons.size === 1 && only ? { code: only } : {});
}

/** The errors of the schema and, for the fields that passed it, those of the rules. */
export async function findErrors(validate: Validator, body: unknown, rules: BodyRules): Promise<RuleError[]> {
  const errors = validate(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return errors;
  const invalidFields = new Set(errors.map((error) => error.field));
  const valid = Object.fromEntries(Object.entries(body).filter(([field]) => !invalidFields.has(field)));
  return [...errors, ...(await rules(valid, invalidFields)).filter(({ field }) => !invalidFields.has(field))];
}
