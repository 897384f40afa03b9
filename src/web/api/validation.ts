import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { TObject } from 'typebox';
import { validate as isUuid } from 'uuid';
import type { FieldError } from '../../errors.ts';
import { isLabel, isText } from '../../codes/label.ts';
import { type UnknownFieldOptions, splitFields } from './unknown-fields.ts';

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
export type Validator = (value: unknown) => FieldError[];

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
