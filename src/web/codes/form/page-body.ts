import { normalizeLabel } from '../../../codes/label.ts';
import { type PageLook, pageLookOf } from '../../../codes/share-page.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { FieldError } from '../../../errors.ts';
import type { Values } from './form-body.ts';

const formFields: Record<string, string> = { title: 'pageTitle', text: 'pageText', color: 'pageColor' };

/** A request body of the API, so that the same rules apply. */
export function pageBodyOf(values: Values): PageLook {
  const given = (name: string) => normalizeLabel(values[name] ?? '') || null;
  return {
    title: given('pageTitle'),
    text: given('pageText'),
    color: given('pageColor')?.toLowerCase() ?? null,
  };
}

/** Only what differs from the stored code. */
export function changedPage(code: QrCode, values: Values): Partial<PageLook> {
  const before = pageLookOf(code);
  const after = pageBodyOf(values);
  const isSame = (name: keyof PageLook) =>
    // Color inputs send lower case, which is no change.
    name === 'color' ? after.color === (before.color?.toLowerCase() ?? null) : after[name] === before[name];
  return {
    ...(!isSame('title') && { title: after.title }),
    ...(!isSame('text') && { text: after.text }),
    ...(!isSame('color') && { color: after.color }),
  };
}

/** The errors of the body, moved to the form's fields. */
export function pageErrors(errors: FieldError[]): FieldError[] {
  return errors.map(({ field, message }) => ({ field: formFields[field] ?? field, message }));
}
