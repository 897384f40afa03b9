import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { TObject } from 'typebox';
import { validate as isUuid } from 'uuid';
import type { FieldFault } from '../../errors.ts';

const ajv = new Ajv2020({ allErrors: true, verbose: true });
for (const name of ['date', 'uri'] as const) ajv.addFormat(name, fullFormats[name]);
// Without the prefix urn:uuid:, which the database does not take.
ajv.addFormat('uuid', isUuid);
// Without leap seconds and zones of whole hours, of which no Date can be made.
ajv.addFormat('date-time', (text: string) => isDateTime.validate(text) && hasFourDigitYear(Date.parse(text)));
ajv.addFormat('text', isText);
ajv.addFormat('label', (text: string) => isText(text) && /[^\p{Z}\p{C}]/u.test(text));
ajv.addVocabulary(['x-expects']);

const isDateTime = fullFormats['date-time'] as { validate(text: string): boolean };

const firstMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** In UTC, as it is shown: past these a zone can lead, and no timestamp of ISO 8601 is written so. False for no time. */
function hasFourDigitYear(ms: number): boolean {
  return ms >= firstMs && ms <= lastMs;
}

function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Says what is wrong with a value, field by field; an empty list for a valid one. */
export type Validator = (value: unknown) => FieldFault[];

export function compileValidator(schema: TObject): Validator {
  const validate: ValidateFunction = ajv.compile(schema);
  return (value) => (validate(value) ? [] : toFaults(validate.errors ?? []));
}

/** One sentence a field: the first thing that is wrong with it. */
function toFaults(errors: ErrorObject[]): FieldFault[] {
  const faults = new Map<string, string>();
  for (const error of errors) {
    // "must be null" and "anyOf" add nothing to what the other branch of a nullable field says.
    if (error.keyword === 'anyOf' || error.params['type'] === 'null') continue;
    const field = fieldOf(error);
    if (!faults.has(field)) faults.set(field, messageOf(error));
  }
  return [...faults].map(([field, message]) => ({ field, message }));
}

function fieldOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === 'required') return String(params['missingProperty']);
  if (keyword === 'additionalProperties') return String(params['additionalProperty']);
  return instancePath.slice(1) || 'body';
}

function messageOf({ keyword, params, parentSchema, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not known here';
    case 'type':
      return `must be ${typeNames[String(params['type'])] ?? String(params['type'])}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as string[]).join(', ')}`;
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
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

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
};

function typeOf(schema: { type?: string } | undefined): string | undefined {
  return schema?.type;
}

/** Query strings are text; whole numbers and booleans are read strictly, anything else is left for the schema to refuse. */
export function readQuery(schema: TObject, querystring: string): Record<string, unknown> {
  const given = new URLSearchParams(querystring);
  // fromEntries makes a field even of a parameter named __proto__.
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const values = given.getAll(name);
      return [name, values.length === 1 ? coerce(typeOf(schema.properties[name]), values[0] ?? '') : values];
    }),
  );
}

function coerce(type: string | undefined, value: string): unknown {
  if (type === 'integer' && /^-?(0|[1-9]\d{0,14})$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
