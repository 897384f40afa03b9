import { lookFields, type ProvenChange } from '../../../codes/design/stored-design.ts';
import type { CodeChanges } from '../../../codes/codes.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { AppError, type FieldError } from '../../../errors.ts';
import { proveChange } from '../../../codes/proof/prove-design.ts';
import type { PageParts } from '../../ui/page.ts';

/** Proves the design of a code once more where an edit alters its picture. Errors name fields of the form. */
export async function proveEdit(
  parts: PageParts,
  code: QrCode,
  changes: CodeChanges,
): Promise<{ proven?: ProvenChange | undefined; errors: FieldError[] }> {
  try {
    return { proven: await proveChange(parts, code.userId, code.id, changes), errors: [] };
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    return { errors: onForm(error.details, changes) };
  }
}

/** A field of the design is not on the form: its error is shown at the field whose change has caused it. */
function onForm(details: FieldError[], changes: CodeChanges): FieldError[] {
  const own = details.filter(({ field }) => lookFields.some((name) => name === field));
  if (own.length > 0)
    return own.map(({ field, message }) => ({ field, message: message.replace(/^of the code /, '') }));
  const changed = lookFields.find((name) => changes[name] !== undefined) ?? 'foregroundColor';
  return details.slice(0, 1).map(({ field, message }) => ({
    field: changed,
    message: `does not fit the design of the code, whose ${field} ${message}`,
  }));
}
