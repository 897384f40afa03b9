import { createHash } from 'node:crypto';
import {
  contentFieldNames,
  contentFields,
  isSecretType,
  keptFields,
} from '../../../codes/content/content-fields.ts';
import { type CodeType, contentType } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import {
  commonFields,
  type FormInput,
  isSame,
  normalizeLineBreaks,
  type Values,
  valuesOf,
} from './form-body.ts';

/** More than the fingerprints of all fields need. */
const maxVersionLength = 2_000;

interface Merged extends FormInput {
  /** Values that were saved elsewhere in fields that this form has changed too: conflicts. */
  saved: Values;
}

/**
 * A fingerprint of each value that a form was opened with. It distinguishes edits from values that nobody changed when
 * the code has been saved elsewhere since.
 */
export function editVersion(code: QrCode, isRaw: boolean): string {
  const fingerprints = Object.entries(storedFor(code, isRaw)).map(
    ([name, text]) => `${name}.${fingerprint(name, text)}`,
  );
  return fingerprints.join(' ');
}

/**
 * A three-way merge by field: the side that changed a field wins, and where both did, it is a conflict and the form's
 * value is kept. Without a version, all values are the form's.
 */
export function mergeEdit(code: QrCode, edit: FormInput, version: string): Merged {
  if (version === '') return { ...edit, saved: {} };
  const opened = new Map(
    version
      .slice(0, maxVersionLength)
      .split(' ')
      .map((entry) => entry.split('.') as [string, string]),
  );
  const stored = storedFor(code, edit.isRaw);
  const isUnchanged = (name: string, text = '') => opened.get(name) === fingerprint(name, text);
  const names = edit.isRaw ? ['content'] : contentFieldNames(code.type);
  const merged: Merged = { ...edit, values: { ...edit.values }, saved: {} };

  const mergeFields = (fields: readonly string[]) => {
    for (const name of fields) {
      const [mine = '', theirs = ''] = [edit.values[name], stored[name]];
      if (isUnchanged(name, theirs) || isSame(name, mine, normalizeLineBreaks(theirs))) continue;
      if (isUnchanged(name, mine)) merged.values[name] = theirs;
      else merged.saved[name] = theirs;
    }
  };
  mergeFields(commonFields);
  if (edit.type !== code.type) return mergeType(code, merged, isUnchanged);
  if (edit.isRaw || !valuesOf(code).isRaw) mergeFields(names);
  else if (!isUnchanged('content', code.content)) {
    // The stored content no longer fits the fields. It is shown at the first one, or at the password if it holds one.
    if (!names.every((name) => isUnchanged(name, edit.values[name])))
      merged.saved[fieldForAll(code.type)] = code.content;
    else return { ...merged, values: { ...merged.values, content: code.content }, isRaw: true };
  }
  return merged;
}

/** Either the form or somebody else has changed the type, or both have. */
function mergeType(
  code: QrCode,
  edit: Merged,
  isUnchanged: (name: string, text?: string) => boolean,
): Merged {
  if (isUnchanged('type', code.type) && isUnchanged('content', code.content)) return edit;
  const names = edit.isRaw ? ['content'] : contentFieldNames(edit.type);
  const isMine =
    !isUnchanged('type', edit.type) || !names.every((name) => isUnchanged(name, edit.values[name]));
  // The stored content may hold a password, so only its type is shown.
  if (isMine) return { ...edit, saved: { ...edit.saved, [names[0] ?? '']: contentType(code.type).name } };
  const { values, isRaw } = valuesOf(code);
  const common = Object.fromEntries(commonFields.map((name) => [name, edit.values[name] ?? '']));
  return { ...edit, type: code.type, values: { ...values, ...common }, isRaw };
}

/** The values as the form would show them, the type and the whole content. */
function storedFor(code: QrCode, isRaw: boolean): Values {
  const { values } = valuesOf(code);
  const fields = isRaw ? {} : Object.fromEntries(contentFieldNames(code.type).map((name) => [name, '']));
  return { ...fields, ...values, type: code.type, content: code.content };
}

function fingerprint(name: string, text: string): string {
  const plain = name.endsWith('Color') ? text.toLowerCase() : normalizeLineBreaks(text);
  return createHash('sha256').update(`${name} ${plain}`).digest('base64url').slice(0, 10);
}

function fieldForAll(type: CodeType): string {
  const fields = contentFields(type);
  return (fields.find(({ isSecret }) => isSecret) ?? fields[0])?.name ?? '';
}

/** The form for another type, with what can be kept. The type of the stored code brings its stored content back. */
export function switchForm(form: FormInput, type: CodeType, code: QrCode | undefined): FormInput {
  if (type === form.type) return form;
  const common = Object.fromEntries(commonFields.map((name) => [name, form.values[name] ?? '']));
  if (code?.type === type) {
    const { values, isRaw } = valuesOf(code);
    return { type, values: { ...values, ...common }, isRaw };
  }
  const fields = keptFields(
    form.isRaw && form.type !== 'social' ? 'text' : form.type,
    type,
    contentFieldsOf(form),
  );
  return { type, values: { ...common, ...(fields as Values) }, isRaw: false };
}

function contentFieldsOf({ type, values, isRaw }: FormInput): Values {
  // It holds the secret as well.
  if (isRaw) return isSecretType(type) ? {} : { content: values['content'] ?? '' };
  return Object.fromEntries(contentFieldNames(type).map((name) => [name, values[name] ?? '']));
}
