import type { TObject } from 'typebox';
import { parseQuery } from '../../http/query-string.ts';

/** Converts integers and booleans strictly; any other text is left for the schema to reject. */
export function readQuery(schema: TObject, querystring: string): Record<string, unknown> {
  // fromEntries creates an own property even for a parameter named __proto__.
  return Object.fromEntries(
    [...parseQuery(querystring)].map(([name, values]) => [
      name,
      values.length === 1 ? coerce(typeOf(schema.properties[name]), values[0] ?? '') : values,
    ]),
  );
}

function typeOf(schema: { type?: string } | undefined): string | undefined {
  return schema?.type;
}

function coerce(type: string | undefined, value: string): unknown {
  if (type === 'integer' && /^-?(0|[1-9]\d{0,14})$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
