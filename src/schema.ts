import type { Static, TSchema, Type as TypeBox } from 'typebox';

/** What we use of TypeBox. */
type Builder = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'String'
  | 'Tuple'
  | 'Union'
  | 'Unsafe'
>;

type Schema = Record<string, unknown>;
type Properties = Record<string, Schema>;

const optionalSchemas = new WeakSet<Schema>();

function optional(schema: Schema): Schema {
  const copy = { ...schema };
  optionalSchemas.add(copy);
  return copy;
}

function object(properties: Properties, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !optionalSchemas.has(properties[name] ?? {}));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function partial({ properties }: { properties: Properties }, options?: Schema): Schema {
  const entries = Object.entries(properties).map(([name, schema]) => [name, optional(schema)] as const);
  return object(Object.fromEntries(entries), options);
}

const builder = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Enum: (values: string[], options?: Schema) => ({ enum: values, ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object: object,
  Optional: optional,
  Partial: partial,
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Tuple: (items: Schema[]) => ({ type: 'array', additionalItems: false, items, minItems: items.length }),
  Union: (anyOf: Schema[]) => ({ anyOf }),
  Unsafe: (schema: Schema) => schema,
};

/**
 * TypeBox's types, and the JSON Schemas that it would make. TypeBox itself is not loaded: its 700 modules took a quarter of
 * the start of a process.
 */
export const Type = builder as unknown as Builder;

// Schemas that several requests and responses share. `x-expects` completes the message "must be …" of a pattern or format.

export const uuid = (description: string) => Type.String({ format: 'uuid', description });

export const timestamp = (description: string) =>
  Type.String({
    format: 'date-time',
    description,
    'x-expects': 'an ISO 8601 timestamp, such as 2027-01-31T12:00:00.000Z',
  });

/** Postgres cannot store NUL characters and lone surrogates. */
export const text = (description: string, bounds: { maxLength?: number } = {}) =>
  Type.String({
    minLength: 1,
    ...bounds,
    description,
    format: 'text',
    'x-expects': 'text without NUL characters or lone surrogates',
  });

export const maxLabelLength = 100;

/** A name or label: one line with a visible character, and nothing that spoofs other text. */
export const label = (description: string, maxLength = maxLabelLength) =>
  Type.String({
    minLength: 1,
    maxLength,
    description,
    format: 'label',
    'x-expects':
      'one line of text with a visible character, and without control characters, bidirectional overrides or lone surrogates',
  });

export const color = (description: string) =>
  Type.String({
    pattern: '^#[0-9a-fA-F]{6}$',
    description,
    'x-expects': 'a hex color in the format #RRGGBB',
  });

/** With its type: client generators treat a bare `enum` as any type. */
export const choice = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Enum([...values], { type: 'string', description });

/** One schema with two types instead of `anyOf`, where client generators miss the description. */
export const nullable = <Given extends TSchema & { type: string }>(schema: Given) =>
  Type.Unsafe<Static<Given> | null>({ ...schema, type: [schema.type, 'null'] });

/** For request bodies only: responses may get new fields. */
export const closed = { additionalProperties: false } as const;
