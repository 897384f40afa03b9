import type { Context } from 'koa';
import type { ContentFields } from '../../../codes/content/content-type.ts';
import {
  composeContent,
  contentFieldNames,
  contentFields,
  fieldErrors,
  fieldsOfContent,
  isAsTyped,
} from '../../../codes/content/content-fields.ts';
import { maxContentBytes } from '../../../codes/content/plain-text.ts';
import { webHrefOfAddress } from '../../../codes/content/links.ts';
import { endOfDay, lastDayOf } from '../../../codes/lifetime.ts';
import { type CodeType, codeTypes } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import { type PageLook, pageLookOf } from '../../../codes/share-page.ts';
import type { CodeLook } from '../../../codes/design/stored-design.ts';
import type { FieldError } from '../../../errors.ts';
import { type Ending, createDefaults } from '../../../codes/code-rules.ts';
import { normalizeLabels } from '../../../codes/validation.ts';
import { field } from '../../middleware/forms.ts';
import type { FormError } from '../../ui/controls.tsx';
import { invalidDay, pastDay } from '../../ui/last-day.ts';

/** The fields that all types share. */
export const commonFields = [
  'name',
  'category',
  'lastDay',
  'afterExpiryUrl',
  'showsName',
  'pageTitle',
  'pageText',
  'pageColor',
] as const;
const invalidWebAddress = 'This is not a web address. Try example.com/menu';

export type Values = Record<string, string>;

export interface FormInput {
  type: CodeType;
  values: Values;
  /** Whether the content is edited as stored, rather than by fields. */
  isRaw: boolean;
}

/** How the form was opened, whatever the code has become since. */
export function readForm(ctx: Context, otherwise?: CodeType): FormInput {
  const type = typeOf(field(ctx, 'type'), otherwise);
  const isRaw = !isAsTyped(type) && typeof Reflect.get(Object(ctx.request.body), 'content') === 'string';
  return { type, values: readValues(ctx, type, isRaw), isRaw };
}

export function typeOf(text: unknown, otherwise: CodeType = createDefaults.type): CodeType {
  return codeTypes.find((type) => type === text) ?? otherwise;
}

/** The input, with line breaks as `\n`: forms send `\r\n`. */
export function readValues(ctx: Context, type: CodeType, isRaw: boolean): Values {
  const names = [...commonFields, ...(isRaw ? ['content'] : contentFieldNames(type))];
  const values = Object.fromEntries(names.map((name) => [name, normalizeLineBreaks(field(ctx, name))]));
  return { ...values, ...(field(ctx, 'hasPageColor') === '' && { pageColor: '' }) };
}

export function emptyValues(type: CodeType): Values {
  const choices = contentFields(type).flatMap(({ name, initial }) => (initial ? [[name, initial]] : []));
  return Object.fromEntries(choices) as Values;
}

/** The stored values. The content is shown raw where the fields of its type cannot hold all of it. */
export function valuesOf(code: QrCode): { values: Values; isRaw: boolean } {
  const fields = fieldsOfContent(code.type, code.content);
  const values = { ...commonValues(code), ...(fields ?? { content: code.content }) };
  return { values: values as Values, isRaw: fields === undefined };
}

/** A request body of the API, so that the same rules apply. The end has one of its own. */
export function newBody(type: CodeType, values: Values, look: CodeLook): Record<string, unknown> {
  const content = contentOf(type, values, false);
  return { ...bodyOf(values), ...look, size: createDefaults.size, type, content };
}

/** Only what differs from the stored code. Values that nobody changed stay exactly as they are. */
export function changedBody(
  code: QrCode,
  type: CodeType,
  values: Values,
  isRaw: boolean,
): Record<string, unknown> {
  const stored = bodyOf(commonValues(code));
  const changes = Object.fromEntries(
    Object.entries(bodyOf(values)).filter(([name, value]) => !isSame(name, value, stored[name])),
  );
  if (type !== code.type) return { ...changes, type, content: contentOf(type, values, isRaw) };
  const before = valuesOf(code).values;
  const names = isRaw ? ['content'] : contentFieldNames(code.type);
  if (names.every((name) => values[name] === normalizeLineBreaks(before[name] ?? ''))) return changes;
  const content = contentOf(code.type, values, isRaw);
  const isVerbatim = isRaw || isAsTyped(code.type);
  const hasCrlf = code.content.includes('\r\n');
  return { ...changes, content: isVerbatim && hasCrlf ? content.replaceAll('\n', '\r\n') : content };
}

/** Without a last day, the code gets the default lifetime. */
export function changedEnding(code: QrCode, values: Values): Ending {
  const before = commonValues(code);
  const { lastDay = '' } = values;
  const address = addressOf(values);
  return {
    ...(lastDay !== before['lastDay'] && {
      expiresAt: lastDay === '' ? null : (endOfDay(lastDay) ?? lastDay),
    }),
    ...(address !== code.afterExpiryUrl && { afterExpiryUrl: address }),
  };
}

/** A day in the past would end the code at once, which nobody does by accident on a page of its own. */
export function endingErrorsOf(code: QrCode, { expiresAt }: Ending, now: Date): FormError[] {
  const isPast = typeof expiresAt === 'string' && new Date(expiresAt) <= now;
  if (!isPast) return [];
  const link = { path: `/codes/${code.id}/expire`, name: 'Expire now' };
  return [{ field: 'lastDay', message: `${pastDay}, or end the code at once`, link }];
}

/** Where the share link leads after the end. */
export function addressOf({ afterExpiryUrl = '' }: Values): string | null {
  const text = afterExpiryUrl.trim();
  return (isTooLong(text) ? text : completeAddress(text)) || null;
}

/** The errors of the body, moved to the form's fields, and those of the fields themselves. */
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
  const longest = contentFieldNames(type).toSorted(
    (a, b) => (values[b] ?? '').length - (values[a] ?? '').length,
  )[0];
  const ofContent = (error: FieldError) => error.field === 'content';
  const moved = shown
    .filter((error) => !ofContent(error) || own.length === 0)
    .map((error) =>
      ofContent(error) ? { field: longest ?? '', message: forAllFields(error.message) } : error,
    );
  return [...moved, ...own];
}

function toFormError(error: FieldError, type: CodeType): FieldError {
  if (error.field === 'expiresAt') return { field: 'lastDay', message: invalidDay };
  // The rule mentions the scheme, which the form adds itself.
  const isAddress = error.field === 'afterExpiryUrl' || (error.field === 'content' && type === 'url');
  const isAddressError = isAddress && /^must be an (?:absolute )?http or https URL/.test(error.message);
  return isAddressError ? { ...error, message: invalidWebAddress } : error;
}

function forAllFields(message: string): string {
  return `The content of these fields together ${message}`;
}

export function contentOf(type: CodeType, values: ContentFields, isRaw: boolean): string {
  if (isRaw) return values['content'] ?? '';
  const text = typedText(type, values);
  // Too long to be accepted, and so not parsed.
  if (isTooLong(text)) return text;
  const content = composeContent(type, values);
  return type === 'url' ? completeAddress(content.trim()) : content;
}

/** All input of the content's fields. The composed content is hardly ever shorter. */
function typedText(type: CodeType, values: ContentFields): string {
  return contentFieldNames(type)
    .map((name) => values[name] ?? '')
    .join('');
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > maxContentBytes;
}

/** Adds the scheme, as a browser's address bar does. */
function completeAddress(address: string): string {
  const isBare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(address) && webHrefOfAddress(address) !== undefined;
  return isBare ? `https://${address}` : address;
}

function bodyOf(values: Values): Record<string, unknown> {
  const { name, category = '' } = values;
  return normalizeLabels({ name, category: category.trim() === '' ? null : category }) as Record<
    string,
    unknown
  >;
}

function commonValues(code: QrCode): Values {
  return {
    name: code.name,
    category: code.category ?? '',
    // The service has chosen it, and scans renew it.
    lastDay: code.defaultExpiresAt?.getTime() === code.expiresAt.getTime() ? '' : lastDayOf(code.expiresAt),
    afterExpiryUrl: code.afterExpiryUrl ?? '',
    pageTitle: code.pageTitle ?? '',
    pageText: code.pageText ?? '',
    pageColor: code.pageColor ?? '',
    showsName: code.pageShowsName === false ? '' : 'on',
  };
}

/** Color inputs send lower case. */
export function isSame(name: string, a: unknown, b: unknown): boolean {
  const isColor = typeof a === 'string' && typeof b === 'string' && name.endsWith('Color');
  return isColor ? a.toLowerCase() === b.toLowerCase() : a === b;
}

export function normalizeLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

const formFields: Record<string, string> = { title: 'pageTitle', text: 'pageText', color: 'pageColor' };

/** A request body of the API, so that the same rules apply. */
export function pageBodyOf(values: Values): PageLook {
  const given = (name: string) => normalizeLabel(values[name] ?? '') || null;
  return {
    title: given('pageTitle'),
    text: given('pageText'),
    color: given('pageColor')?.toLowerCase() ?? null,
    showsName: values['showsName'] === 'on',
  };
}

/** Only what differs from the stored code. */
export function changedPage(code: QrCode, values: Values): Partial<PageLook> {
  const before = pageLookOf(code);
  const after = pageBodyOf(values);
  const isUnchanged = (name: keyof PageLook) =>
    // Color inputs send lower case, which is no change.
    name === 'color' ? after.color === (before.color?.toLowerCase() ?? null) : after[name] === before[name];
  return {
    ...(!isUnchanged('title') && { title: after.title }),
    ...(!isUnchanged('text') && { text: after.text }),
    ...(!isUnchanged('color') && { color: after.color }),
    ...(!isUnchanged('showsName') && { showsName: after.showsName }),
  };
}

/** The errors of the body, moved to the form's fields. */
export function pageErrors(errors: FieldError[]): FieldError[] {
  return errors.map((error) => ({ ...error, field: formFields[error.field] ?? error.field }));
}
