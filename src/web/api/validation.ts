import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TObject } from 'typebox';
import type { FieldFault } from '../../errors.ts';

const ajv = new Ajv2020({ allErrors: true, verbose: true });
// ajv-formats is CommonJS; its function is one level further in.
addFormats.default(ajv, ['uuid', 'date-time', 'uri', 'date']);
ajv.addFormat('text', (text: string) => text.isWellFormed() && !text.includes('\0'));
ajv.addVocabulary(['x-expects']);

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
export function coerceQuery(schema: TObject, query: NodeJS.Dict<string | string[]>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const type = typeOf(schema.properties[name]);
      if (typeof value !== 'string') return [name, value];
      if (type === 'integer' && /^-?(0|[1-9]\d{0,14})$/.test(value)) return [name, Number(value)];
      if (type === 'boolean' && (value === 'true' || value === 'false')) return [name, value === 'true'];
      return [name, value];
    }),
  );
}
