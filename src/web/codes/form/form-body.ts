import type { Context } from 'koa';
import {
  type ContentFields,
  composeContent,
  contentFieldNames,
} from '../../../codes/content/compose-content.ts';
import { fieldErrors, fieldsOfContent, isAsTyped } from '../../../codes/content/content-fields.ts';
import { maxContentBytes } from '../../../codes/content/capacity.ts';
import { webHrefOfAddress } from '../../../codes/content/links.ts';
import { endOfDay, lastDayOf } from '../../../codes/last-day.ts';
import type { CodeType, QrCode } from '../../../codes/qr-code.ts';
import type { FieldError } from '../../../errors.ts';
import { createDefaults } from '../../api/qr-code-shapes.ts';
import { normalizeLabels } from '../../api/normalize-labels.ts';
import { field } from '../../middleware/forms.ts';

/** Of every type alike. */
export const commonFields = [
  'name',
  'category',
  'lastDay',
  'foregroundColor',
  'backgroundColor',
  'size',
  'errorCorrection',
] as const;
const invalidDay = 'must be a day, such as 2030-12-31';
const invalidWebAddress = 'This is not a web address. Try example.com/menu';

export type Values = Record<string, string>;

/** What was typed; line breaks as one character each, though forms send two. */
export function readValues(ctx: Context, type: CodeType, isRaw: boolean): Values {
  const names = [...commonFields, ...(isRaw ? ['content'] : contentFieldNames[type])];
  return Object.fromEntries(names.map((name) => [name, normalizeLineBreaks(field(ctx, name))]));
}

export function emptyValues(expiresAt: Date): Values {
  const { foregroundColor, backgroundColor, size, errorCorrection } = createDefaults;
  const design = { foregroundColor, backgroundColor, size: String(size), errorCorrection };
  return { ...design, lastDay: lastDayOf(expiresAt), security: 'WPA' };
}

/** Where its fields would not hold all of it, the content is shown as it is. */
export function valuesOf(code: QrCode): { values: Values; isRaw: boolean } {
  const fields = fieldsOfContent(code.type, code.content);
  const values = { ...commonValues(code), ...(fields ?? { content: code.content }) };
  return { values: values as Values, isRaw: fields === undefined };
}

/** A body as the API takes it, for the same rules. */
export function newBody(type: CodeType, values: Values): Record<string, unknown> {
  return { ...bodyOf(values), type, content: contentOf(type, values, false) };
}

/** Only what is other than stored: what nobody touched stays to the letter. */
export function changedBody(code: QrCode, values: Values, isRaw: boolean): Record<string, unknown> {
  const stored = bodyOf(commonValues(code));
  const changes = Object.fromEntries(
    Object.entries(bodyOf(values)).filter(([name, value]) => !isSame(name, value, stored[name])),
  );
  const before = valuesOf(code).values;
  if (values['lastDay'] !== before['lastDay'])
    changes['expiresAt'] = endOfDay(values['lastDay'] ?? '') ?? values['lastDay'];
  const names = isRaw ? ['content'] : contentFieldNames[code.type];
  if (names.every((name) => values[name] === normalizeLineBreaks(before[name] ?? ''))) return changes;
  const content = contentOf(code.type, values, isRaw);
  const isTyped = isRaw || isAsTyped(code.type);
  const hadTwo = code.content.includes('\r\n');
  return { ...changes, content: isTyped && hadTwo ? content.replaceAll('\n', '\r\n') : content };
}

/** Undefined where the service is to choose: an empty field. Not a day that is over: the code would be born dead. */
export function readLastDay(values: Values, now: Date): { expiresAt?: Date; errors: FieldError[] } {
  const day = values['lastDay'] ?? '';
  if (day === '') return { errors: [] };
  const end = endOfDay(day);
  const error = (message: string) => ({ errors: [{ field: 'lastDay', message }] });
  if (end === undefined) return error(invalidDay);
  if (new Date(end) <= now) return error('must be today or later');
  return { expiresAt: new Date(end), errors: [] };
}

/** The errors of the body, each at the field that people see, with those that only the fields have. */
export function shownErrors(
  type: CodeType,
  values: Values,
  isRaw: boolean,
  bodyErrors: FieldError[],
  isContentChanged: boolean,
): FieldError[] {
  const isParsed = !isRaw && isContentChanged && !isTooLong(typedText(type, values));
  const own = isParsed ? fieldErrors(type, values) : [];
  const shown = bodyErrors.map((error) => toFormError(error, type));
  if (isRaw || isAsTyped(type)) return [...shown, ...own];
  const longest = contentFieldNames[type].toSorted(
    (a, b) => (values[b] ?? '').length - (values[a] ?? '').length,
  )[0];
  const ofContent = (error: FieldError) => error.field === 'content';
  const moved = shown
    .filter((error) => !ofContent(error) || own.length === 0)
    .map((error) => (ofContent(error) ? { field: longest ?? '', message: whole(error.message) } : error));
  return [...moved, ...own];
}

function toFormError(error: FieldError, type: CodeType): FieldError {
  if (error.field === 'expiresAt') return { field: 'lastDay', message: invalidDay };
  // The scheme, of which the rule speaks, is added by the form itself.
  const isAddressError = type === 'url' && /^must be an (?:absolute )?http or https URL/.test(error.message);
  return isAddressError ? { ...error, message: invalidWebAddress } : error;
}

function whole(message: string): string {
  return `What these fields make together ${message}`;
}

function contentOf(type: CodeType, values: ContentFields, isRaw: boolean): string {
  if (isRaw) return values['content'] ?? '';
  const text = typedText(type, values);
  // Refused for its length, and so not worth a parser's time.
  if (isTooLong(text)) return text;
  const content = composeContent(type, values);
  return type === 'url' ? completeAddress(content.trim()) : content;
}

/** All that was typed into the fields of the content. What is made of it is hardly ever shorter. */
function typedText(type: CodeType, values: ContentFields): string {
  return contentFieldNames[type].map((name) => values[name] ?? '').join('');
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > maxContentBytes;
}

/** As it would be in the address bar of a browser. */
function completeAddress(address: string): string {
  const isBare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(address) && webHrefOfAddress(address) !== undefined;
  return isBare ? `https://${address}` : address;
}

function bodyOf(values: Values): Record<string, unknown> {
  const { name, category = '', foregroundColor, backgroundColor, size = '', errorCorrection } = values;
  return normalizeLabels({
    name,
    category: category.trim() === '' ? null : category,
    foregroundColor,
    backgroundColor,
    size: /^\s*\d{1,6}\s*$/.test(size) ? Number(size) : size,
    errorCorrection,
  }) as Record<string, unknown>;
}

function commonValues(code: QrCode): Values {
  return {
    name: code.name,
    category: code.category ?? '',
    foregroundColor: code.foregroundColor,
    backgroundColor: code.backgroundColor,
    size: String(code.size),
    errorCorrection: code.errorCorrection,
    lastDay: lastDayOf(code.expiresAt),
  };
}

/** A colour input writes small letters. */
export function isSame(name: string, a: unknown, b: unknown): boolean {
  const isColor = typeof a === 'string' && typeof b === 'string' && name.endsWith('Color');
  return isColor ? a.toLowerCase() === b.toLowerCase() : a === b;
}

export function normalizeLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
