import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../errors.ts';
import { type ContentFields, fieldsIn, type FormField } from './content-type.ts';
import { type CodeType, contentType, parseContent } from './content-types.ts';
import { percentDecode } from './payload-syntax.ts';
import { maxContentBytes } from './plain-text.ts';

export function contentFields(type: CodeType): FormField[] {
  return fieldsIn(contentType(type).form.parts);
}

export function contentFieldNames(type: CodeType): string[] {
  return contentFields(type).map(({ name }) => name);
}

/** Whether the only field is the content itself. */
export function isAsTyped(type: CodeType): boolean {
  return contentType(type).form.read === undefined;
}

/** Whether a field of the type must not be shown again, such as a password. */
export function isSecretType(type: CodeType): boolean {
  return contentFields(type).some(({ isSecret }) => isSecret);
}

/** The standard payload for scanners, as `parseContent` normalizes it. Empty where no field is filled in. */
export function composeContent(type: CodeType, fields: ContentFields): string {
  const given = (name: string) => fields[name] ?? '';
  const isEmpty = contentFields(type).every(({ name, choices }) => given(name) === '' || choices);
  return isEmpty ? '' : contentType(type).form.compose(given);
}

/** The reverse of `composeContent`. Undefined where composing the fields again would lose a part of the content. */
export function fieldsOfContent(type: CodeType, content: string): ContentFields | undefined {
  const { read } = contentType(type).form;
  if (!read) return { content };
  const fields = read(parseContent(type, content), content);
  if (!fields || contentFields(type).some((field) => breaksField(field, fields[field.name])))
    return undefined;
  const composed = composeContent(type, fields);
  if (!isDeepStrictEqual(meaning(type, composed), meaning(type, content))) return undefined;
  // Compared as text too: the parser drops what it does not know, such as other headers of an email.
  const bare = Object.values(fields).filter(Boolean).join(',');
  return [composed, bare].some((text) => plain(text) === plain(content)) ? fields : undefined;
}

/** A single-line input would lose the line breaks. */
function breaksField({ input }: FormField, value = ''): boolean {
  return input !== 'area' && /[\r\n]/.test(value);
}

/** Ignores how a number is grouped. */
function meaning(type: CodeType, content: string): object {
  const { number: _, ...rest } = { number: '', ...parseContent(type, content) };
  return rest;
}

function plain(text: string): string {
  return percentDecode(text)
    .replace(/^(?:tel|sms):/i, '')
    .replaceAll('?&', '?')
    .replace(/[\s()./-]+/g, '');
}

/** The errors that keep these fields from being content of their type. */
export function fieldErrors(type: CodeType, fields: ContentFields): FieldError[] {
  return contentType(type).form.errors((name) => (fields[name] ?? '').trim(), fields);
}

/** What the fields of one type have for those of another. */
export function keptFields(from: CodeType, to: CodeType, fields: ContentFields): ContentFields {
  const given = (name: string) => {
    const value = fields[name] ?? '';
    // Longer values cannot be saved, and are not parsed.
    return value.length > maxContentBytes ? '' : value.trim();
  };
  const kept = contentType(from).keep(given);
  const nothing = { name: '', number: '', email: '', address: '', message: '', text: '' };
  const { fill } = contentType(to);
  return fill({ ...nothing, ...kept });
}
