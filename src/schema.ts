import type { Type as TypeBox } from 'typebox';

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
