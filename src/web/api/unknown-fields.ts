import type { FieldError } from '../../errors.ts';

const defaultMaxListed = 100;
const maxNameLength = 64;

export interface UnknownFieldOptions {
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
export function splitFields(
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
