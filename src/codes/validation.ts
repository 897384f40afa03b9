import { fullFormats } from 'ajv-formats/dist/formats.js';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TObject } from 'typebox';
import { validate as isUuid } from 'uuid';
import { type AppError, type ErrorReason, type FieldError, invalid } from '../errors.ts';
import { parseQuery } from '../http/parse-url.ts';
import { isLabel, isText, normalizeLabel } from './label.ts';

/** An error with a code of its own: the response has it if all of its errors do. */
export interface RuleError extends FieldError {
  reason?: ErrorReason;
}

/** Rules that a schema cannot express. `fields` passed the schema, `invalidFields` did not. */
export type BodyRules<Body = object> = (
  fields: Partial<Body>,
  invalidFields: Set<string>,
) => Promise<RuleError[]>;

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

const ajv = new Ajv2020({ allErrors: true, verbose: true });
for (const name of ['date', 'uri'] as const) ajv.addFormat(name, fullFormats[name]);
// ajv's own format accepts the prefix urn:uuid:, which Postgres rejects.
ajv.addFormat('uuid', isUuid);
// ajv's own format accepts leap seconds and offsets without minutes, which Date cannot parse.
ajv.addFormat(
  'date-time',
  (text: string) =>
    text.length <= maxTimestampLength && isDateTime.validate(text) && hasFourDigitYear(Date.parse(text)),
);
ajv.addFormat('text', isText);
ajv.addFormat('label', isLabel);
ajv.addVocabulary(['x-expects', 'x-renamed-to']);

const isDateTime = fullFormats['date-time'] as { validate(text: string): boolean };

const maxTimestampLength = 64;
const firstMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** In UTC, as it is shown: an offset can move a timestamp past these years. False for NaN. */
function hasFourDigitYear(ms: number): boolean {
  return ms >= firstMs && ms <= lastMs;
}

/** Returns at most one error per field, and a bounded number in total. */
type Validator = (value: unknown) => FieldError[];

export function compileValidator(schema: TObject, options?: UnknownFieldOptions): Validator {
  // At the first use: compiling all schemas would take a tenth of the start of a process.
  let validate: ValidateFunction | undefined;
  const known = Object.keys(schema.properties);
  return (value) => {
    validate ??= ajv.compile(schema);
    // Unknown fields are removed first: ajv would report each of thousands.
    const { fields, errors } = splitFields(value, known, options);
    return validate(fields) ? errors : [...toFieldErrors(validate.errors ?? []), ...errors];
  };
}

/** Keeps the first error of each field. */
function toFieldErrors(errors: ErrorObject[]): FieldError[] {
  const messages = new Map<string, string>();
  for (const error of errors) {
    const field = fieldOf(error);
    if (!messages.has(field)) messages.set(field, messageOf(error));
  }
  return [...messages].map(([field, message]) => ({ field, message }));
}

function fieldOf({ keyword, instancePath, params }: ErrorObject): string {
  // Nested fields are named as in code: `grid.rows`.
  const path = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'required') return [path, params['missingProperty']].filter(Boolean).join('.');
  return path || 'body';
}

function messageOf({ keyword, params, parentSchema, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      if (parentSchema?.['enum']) return oneOf(parentSchema['enum'] as string[]);
      return `must be ${[params['type'] as string | string[]].flat().map(typeName).join(' or ')}`;
    case 'enum':
      return oneOf(params['allowedValues'] as string[]);
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'minItems':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} entries`;
    case 'maxItems':
      return `must have at most ${params['limit']} entries`;
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'maximum':
      return `must be at most ${params['limit']}`;
    case 'pattern':
    case 'format':
      return `must be ${parentSchema?.['x-expects'] ?? `a valid ${params['format']}`}`;
    default:
      return message ?? 'is not valid';
  }
}

function oneOf(values: string[]): string {
  return `must be one of ${values.join(', ')}`;
}

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'an array',
};

function typeName(type: string): string {
  return typeNames[type] ?? type;
}

const defaultMaxListed = 100;
const maxNameLength = 64;

interface UnknownFieldOptions {
  kind: 'field' | 'parameter';
  /** The field of the error that counts those that are not listed. */
  whole: 'body' | 'query';
  /** Messages for unknown fields that clients are likely to send. */
  hints?: Record<string, string>;
  maxListed?: number;
}

const ofBody: UnknownFieldOptions = { kind: 'field', whole: 'body' };

interface Split {
  /** The value without its unknown fields; unchanged where it is not an object. */
  fields: unknown;
  errors: FieldError[];
}

/** Removes unknown fields. The errors list the first 100 of them, unless told otherwise, and count the rest. */
function splitFields(
  value: unknown,
  known: string[],
  { kind, whole, hints = {}, maxListed = defaultMaxListed }: UnknownFieldOptions = ofBody,
): Split {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fields: value, errors: [] };
  const names = new Set(known);
  const unknown = Object.keys(value).filter((name) => !names.has(name));
  if (unknown.length === 0) return { fields: value, errors: [] };
  const errors = unknown.slice(0, maxListed).map((name) => ({
    field: shorten(name),
    message: Object.hasOwn(hints, name)
      ? String(hints[name])
      : `is not a ${kind} of this request${suggestion(name, known)}`,
  }));
  const more = unknown.length - errors.length;
  if (more > 0)
    errors.push({ field: whole, message: `has ${more} more ${kind}s that are not part of this request` });
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
  return { fields, errors };
}

function shorten(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).toWellFormed()}…`;
}

/** For a different spelling: `Name`, `foreground_color`, `backgroundColour`. */
function suggestion(name: string, known: string[]): string {
  if (name.length > maxNameLength) return '';
  const match = known.find((each) => simplify(each) === simplify(name));
  return match === undefined ? '' : ` (did you mean ${match}?)`;
}

function simplify(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('colour', 'color');
}

const maxListed = 20;

/** Errors for the first 20 entries that are not ids. A list may have a thousand. */
export function idErrors(field: string, given: unknown): FieldError[] {
  if (!Array.isArray(given)) return [];
  const wrong = given.flatMap((each, index) => (isUuid(each) ? [] : [index]));
  return wrong
    .slice(0, maxListed)
    .map((index) => ({ field: `${field}[${index}]`, message: 'must be a valid uuid' }));
}

/** Names that look the same are stored as the same text: trimmed, in NFC. */
const labels = ['name', 'category', 'title', 'text', 'alt'];

export function normalizeLabels(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const normalized: Record<string, unknown> = { ...body };
  for (const label of labels) {
    const value = normalized[label];
    if (typeof value === 'string') normalized[label] = normalizeLabel(value);
  }
  return normalized;
}

/** Converts integers and booleans strictly; any other text is left for the schema to reject. */
export function readQuery(schema: TObject, querystring: string): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is a parameter like any other, and so that V8 does not derive a new hidden class
  // from each name: thousands of names would take tens of milliseconds.
  const read = Object.create(null) as Record<string, unknown>;
  for (const [name, values] of parseQuery(querystring)) {
    read[name] = values.length === 1 ? coerce(typeOf(schema.properties[name]), values[0] ?? '') : values;
  }
  return read;
}

function typeOf(schema: { type?: string } | undefined): string | undefined {
  return schema?.type;
}

function coerce(type: string | undefined, value: string): unknown {
  if (type === 'integer' && /^-?(0|[1-9]\d{0,14})$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
