import { contentFieldNames } from '../../../codes/content/compose-content.ts';
import { keptFields } from '../../../codes/content/switch-type.ts';
import type { CodeType, QrCode } from '../../../codes/qr-code.ts';
import { commonFields, type Values, valuesOf } from './form-body.ts';

interface FormValues {
  type: CodeType;
  values: Values;
  isRaw: boolean;
}

/** The form for another type, with what can be kept. The type of the stored code brings its stored content back. */
export function switchForm(form: FormValues, type: CodeType, code: QrCode | undefined): FormValues {
  if (type === form.type) return form;
  const common = Object.fromEntries(commonFields.map((name) => [name, form.values[name] ?? '']));
  if (code?.type === type) {
    const { values, isRaw } = valuesOf(code);
    return { type, values: { ...values, ...common }, isRaw };
  }
  const fields = keptFields(form.isRaw ? 'text' : form.type, type, contentOf(form));
  return { type, values: { ...common, ...(fields as Values) }, isRaw: false };
}

function contentOf({ type, values, isRaw }: FormValues): Values {
  // A stored Wi-Fi network holds its password.
  if (isRaw) return type === 'wifi' ? {} : { content: values['content'] ?? '' };
  return Object.fromEntries(contentFieldNames[type].map((name) => [name, values[name] ?? '']));
}
