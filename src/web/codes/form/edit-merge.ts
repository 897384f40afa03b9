import { createHash } from 'node:crypto';
import { contentFieldNames } from '../../../codes/content/compose-content.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { isSame, commonFields, normalizeLineBreaks, type Values, valuesOf } from './form-body.ts';

/** More than the marks of all fields take. */
const maxVersionLength = 2_000;

interface Edit {
  values: Values;
  /** Whether the content is edited as it is, rather than by fields. */
  isRaw: boolean;
}

interface Merged extends Edit {
  /** What was saved meanwhile in the fields that this form has changed too. */
  saved: Values;
}

/**
 * What a form was opened with, as a mark of each field. With it an edit can be told apart from a value that nobody
 * touched, when somebody else has saved the code meanwhile.
 */
export function editVersion(code: QrCode, isRaw: boolean): string {
  const fingerprints = Object.entries(storedFor(code, isRaw)).map(
    ([name, text]) => `${name}.${fingerprint(name, text)}`,
  );
  return fingerprints.join(' ');
}

/**
 * Each field as whoever changed it left it; where both did, as this form has it, and that is a conflict. Without a version
 * it is all as the form has it.
 */
export function mergeEdit(code: QrCode, edit: Edit, version: string): Merged {
  if (version === '') return { ...edit, saved: {} };
  const opened = new Map(
    version
      .slice(0, maxVersionLength)
      .split(' ')
      .map((mark) => mark.split('.') as [string, string]),
  );
  const stored = storedFor(code, edit.isRaw);
  const isOld = (name: string, text = '') => opened.get(name) === fingerprint(name, text);
  const names = edit.isRaw ? ['content'] : contentFieldNames[code.type];
  const merged: Merged = { values: { ...edit.values }, isRaw: edit.isRaw, saved: {} };

  const mergeFields = (fields: readonly string[]) => {
    for (const name of fields) {
      const [mine = '', theirs = ''] = [edit.values[name], stored[name]];
      if (isOld(name, theirs) || isSame(name, mine, normalizeLineBreaks(theirs))) continue;
      if (isOld(name, mine)) merged.values[name] = theirs;
      else merged.saved[name] = theirs;
    }
  };
  mergeFields(commonFields);
  if (edit.isRaw || !valuesOf(code).isRaw) mergeFields(names);
  else if (!isOld('content', code.content)) {
    // What is stored does not fit the fields any more: it is told at one of them, and a password at none but its own.
    if (!names.every((name) => isOld(name, edit.values[name])))
      merged.saved[code.type === 'wifi' ? 'password' : (names[0] ?? '')] = code.content;
    else return { values: { ...merged.values, content: code.content }, isRaw: true, saved: merged.saved };
  }
  return merged;
}

/** As the form would show it, with the whole content in any case. */
function storedFor(code: QrCode, isRaw: boolean): Values {
  const { values } = valuesOf(code);
  const fields = isRaw ? {} : Object.fromEntries(contentFieldNames[code.type].map((name) => [name, '']));
  return { ...fields, ...values, content: code.content };
}

function fingerprint(name: string, text: string): string {
  const plain = name.endsWith('Color') ? text.toLowerCase() : normalizeLineBreaks(text);
  return createHash('sha256').update(`${name} ${plain}`).digest('base64url').slice(0, 10);
}
