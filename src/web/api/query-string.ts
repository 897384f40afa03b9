import type { TObject } from 'typebox';
import { parseQuery } from '../../http/parse-url.ts';

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
