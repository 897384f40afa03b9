import type { FieldError } from '../../errors.ts';

const mostNamed = 100;
const longestName = 64;

export interface OtherFields {
  /** What a request of this kind consists of. */
  kind: 'field' | 'parameter';
  /** Where the count of those beyond the bound is told. */
  whole: 'body' | 'query';
  /** For fields that a client may well try to send: what to do instead. */
  hints?: Record<string, string>;
}

const ofBody: OtherFields = { kind: 'field', whole: 'body' };

interface Split {
  /** The value without its unknown fields; as it is where it is no object. */
  fields: unknown;
  errors: FieldError[];
}

/** Parts the fields that a request takes from all others, of which the first are named and the rest are counted. */
export function splitFields(
  value: unknown,
  known: string[],
  { kind, whole, hints = {} }: OtherFields = ofBody,
): Split {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fields: value, errors: [] };
  const names = new Set(known);
  const others = Object.keys(value).filter((name) => !names.has(name));
  if (others.length === 0) return { fields: value, errors: [] };
  const errors = others.slice(0, mostNamed).map((name) => ({
    field: shorten(name),
    message: Object.hasOwn(hints, name)
      ? String(hints[name])
      : `is not a ${kind} of this request${suggestion(name, known)}`,
  }));
  const more = others.length - errors.length;
  if (more > 0)
    errors.push({ field: whole, message: `has ${more} more ${kind}s that are not part of this request` });
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
  return { fields, errors };
}

function shorten(name: string): string {
  return name.length <= longestName ? name : `${name.slice(0, longestName).toWellFormed()}…`;
}

/** For a name that is written another way: `Name`, `foreground_color`, `backgroundColour`. */
function suggestion(name: string, known: string[]): string {
  if (name.length > longestName) return '';
  const meant = known.find((each) => plain(each) === plain(name));
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('colour', 'color');
}
